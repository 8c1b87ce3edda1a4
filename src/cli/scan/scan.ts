import type { Command } from 'commander'
import { CommandProblem } from '../command-problem.ts'
import { endedPullRequest } from '../end-pull-request.ts'
import { findFiles, isLogName } from './find-files.ts'
import { freshLogs, namedLogs } from './scan-logs.ts'
import { whereTheToolsRan } from './upload.ts'
import type { OutgoingFile } from './upload-body.ts'
import { type UploadOptions, uploadFiles, withUploadOptions } from './upload-command.ts'

type Options = UploadOptions & { closed?: boolean; merged?: boolean; sarif?: string[] | boolean }

export function scanCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('scan')
    .description('find every lockfile, bill of materials and new SARIF log under a folder and upload them as one scan')
    .argument('[folder]', 'where to look', '.')
    .option('--sarif <file...>', 'SARIF logs to send too, from anywhere')
    .option('--no-sarif', 'send no SARIF log')
    .option(
      '--root <folder>',
      'where the repository was when the tools ran, for logs with absolute paths (default: GATEHOUSE_ROOT, else the top of the checkout)',
    )
    .option('--allow-empty', 'also where there is none: the repository has no dependencies')
    .option('--closed', 'scan nothing: say that the pull request was closed')
    .option('--merged', 'scan nothing: say that the pull request was merged')
  withUploadOptions(command).action(async (folder: string, options: Options) => {
    if (options.closed || options.merged) {
      await endedPullRequest(command, options, options.merged === true, folder)
      return finish(0)
    }
    const files = await filesOf(folder, options.sarif)
    if (files.length === 0 && !options.allowEmpty) {
      throw new CommandProblem(
        `There is no lockfile, bill of materials or new SARIF log under '${folder}'. If that is right, say --allow-empty.`,
      )
    }
    const root = files.some(({ path }) => isLogName(path)) ? options.root || whereTheToolsRan(folder) : undefined
    finish(await uploadFiles(command, { ...options, ...(root && { root }) }, files, folder))
  })
}

/** Lockfiles and bills, and the logs that are new or named; with --no-sarif none of these. */
async function filesOf(folder: string, sarif: Options['sarif']): Promise<OutgoingFile[]> {
  const found = await findFiles(folder, { logs: sarif !== false })
  const named = Array.isArray(sarif) ? namedLogs(sarif, folder, found) : []
  const places = new Set(named.map(({ place }) => place))
  const logs = found.filter(({ path, place }) => isLogName(path) && !places.has(place))
  const fresh = await freshLogs(logs, folder)
  return [...found.filter(({ path }) => !isLogName(path)), ...fresh, ...named]
}
