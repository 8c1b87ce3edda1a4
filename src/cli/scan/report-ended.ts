import type { Command } from 'commander'
import { CommandProblem } from '../command-problem.ts'
import { print } from '../output.ts'
import { readCiEnvironment } from './subject/ci-environment.ts'
import { describeCheckout } from './subject/git-checkout.ts'
import { sendEnd } from './upload-client.ts'
import { findServer } from './upload-command.ts'
import type { UploadOptions } from './upload-options.ts'

/** Says that the pull request of the options, or of the CI environment, is over. */
export async function reportEndedPullRequest(
  command: Command,
  options: UploadOptions,
  merged: boolean,
  folder: string,
): Promise<void> {
  const told = readCiEnvironment(process.env)
  const pullRequest = options.pullRequest ?? told.pullRequest
  if (!pullRequest) throw new CommandProblem('Say --pull-request (or GATEHOUSE_PULL_REQUEST): which one is over.')
  const repository = options.repository ?? told.repository ?? (await describeCheckout(folder)).repository
  if (!repository) throw new CommandProblem('Say --repository (or GATEHOUSE_REPOSITORY): whose pull request it is.')
  const ended = { repository, pullRequest, merged }
  if (options.dryRun) {
    return print(command, ended, `Pull request ${pullRequest} of ${repository} would be said to be over.`)
  }
  const { endedFindings, known, left } = await send(options, ended)
  const how = merged ? 'merged' : 'closed'
  // Those of forks are closed without ever having been scanned, so it is not a fault.
  const said = known
    ? `Pull request ${pullRequest} of ${repository} is ${how}: ${left} open in it are settled.`
    : `Nothing is known of pull request ${pullRequest} of ${repository}: it was never scanned. Nothing was changed; if you expected otherwise, check its number.`
  print(command, { endedFindings, known }, said)
}

/** Says that the branch of the options is gone. What a CI job runs for is there, so that is not asked. */
export async function reportEndedBranch(command: Command, options: UploadOptions, folder: string): Promise<void> {
  const { ref } = options
  if (!ref) throw new CommandProblem('Say --ref: which branch was deleted.')
  const told = readCiEnvironment(process.env)
  const repository = options.repository ?? told.repository ?? (await describeCheckout(folder)).repository
  if (!repository) throw new CommandProblem('Say --repository (or GATEHOUSE_REPOSITORY): whose branch it was.')
  const ended = { repository, ref }
  if (options.dryRun) return print(command, ended, `Branch ${ref} of ${repository} would be said to be deleted.`)
  const { endedFindings, left } = await send(options, ended)
  print(command, { endedFindings }, `Branch ${ref} of ${repository} is deleted: ${left} on it are settled.`)
}

async function send(options: UploadOptions, ended: Parameters<typeof sendEnd>[1]) {
  const onRetry = (why: string, seconds: number) => console.error(`gatehouse: ${why}; trying again in ${seconds} s.`)
  // A server of before does not say whether it is known.
  const { endedFindings, known = true } = await sendEnd(await findServer(options, process.env), ended, { onRetry })
  return {
    endedFindings,
    known,
    left: endedFindings === 1 ? '1 finding that stood' : `${endedFindings} findings that stood`,
  }
}
