import { realpathSync } from 'node:fs'
import type { Command } from 'commander'
import { CommandProblem } from '../command-problem.ts'
import { freshLogs, namedLogs } from './code/scan-logs.ts'
import { findFiles, isLogName, partOfCheckout, realFolder } from './files/find-files.ts'
import { reportEndedBranch, reportEndedPullRequest } from './report-ended.ts'
import { readCiEnvironment } from './subject/ci-environment.ts'
import { topOfCheckout } from './subject/git-checkout.ts'
import type { OutgoingFile } from './upload-body.ts'
import { uploadFiles, warn, whereTheToolsRan } from './upload-command.ts'
import type { UploadOptions } from './upload-options.ts'

export type ScanOptions = UploadOptions & {
  closed?: boolean
  merged?: boolean
  deleted?: boolean
  sarif?: string[] | boolean
}

/** Answers with the exit code. */
export async function runScan(command: Command, options: ScanOptions, folder: string): Promise<number> {
  if (options.deleted && (options.closed || options.merged))
    throw new CommandProblem(
      '--deleted is about a branch, --closed and --merged are about a pull request: say one of them.',
    )
  if (options.closed || options.merged) {
    await reportEndedPullRequest(command, options, options.merged === true, folder)
    return 0
  }
  if (options.deleted) {
    await reportEndedBranch(command, options, folder)
    return 0
  }
  requireOwnCheckout(folder, options)
  const files = await filesOf(folder, options.sarif)
  if (files.length === 0 && !options.allowEmpty) {
    throw new CommandProblem(
      `There is no lockfile, bill of materials or new SARIF log under '${folder}'. If that is right, say --allow-empty.`,
    )
  }
  const root = files.some(({ path }) => isLogName(path)) ? options.root || whereTheToolsRan(folder) : undefined
  const part = partOfCheckout(folder)
  return uploadFiles(command, { ...options, ...(root && { root }), ...(part && { part }) }, files, folder)
}

/**
 * A submodule, or another repository that was checked out beside this one. What the environment says is about the checkout that the
 * command runs in: under its name this one would take the place of all that it has.
 */
function requireOwnCheckout(folder: string, { repository }: ScanOptions): void {
  const here = topOfCheckout(realpathSync('.'))
  const there = topOfCheckout(realFolder(folder))
  if (repository || !here || !there || here === there || !readCiEnvironment(process.env).repository) return
  throw new CommandProblem(
    `'${folder}' is a checkout of its own, and GATEHOUSE_REPOSITORY or the CI service speaks of the one around it: say --repository, --ref and --commit.`,
  )
}

/** Lockfiles and bills, and the logs that are new or named; with --no-sarif none of these. */
async function filesOf(folder: string, sarif: ScanOptions['sarif']): Promise<OutgoingFile[]> {
  const found = await findFiles(folder, { logs: sarif !== false })
  const named = Array.isArray(sarif) ? namedLogs(sarif, folder, found) : []
  const places = new Set(named.map(({ place }) => place))
  const logs = found.filter(({ path, place }) => isLogName(path) && !places.has(place))
  const fresh = await freshLogs(logs, folder, warn)
  return [...found.filter(({ path }) => !isLogName(path)), ...fresh, ...named]
}
