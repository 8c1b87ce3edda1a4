import type { Command } from 'commander'
import { CommandProblem } from '../command-problem.ts'
import { endedPullRequest } from '../end-pull-request.ts'
import { findFiles } from './find-files.ts'
import { type UploadOptions, uploadFiles, withUploadOptions } from './upload-command.ts'

type Ending = { closed?: boolean; merged?: boolean }

export function scanCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('scan')
    .description('find every lockfile and bill of materials under a folder and upload them as one scan')
    .argument('[folder]', 'where to look', '.')
    .option('--allow-empty', 'also where there is none: the repository has no dependencies')
    .option('--closed', 'scan nothing: say that the pull request was closed')
    .option('--merged', 'scan nothing: say that the pull request was merged')
  withUploadOptions(command).action(async (folder: string, options: UploadOptions & Ending) => {
    if (options.closed || options.merged) {
      await endedPullRequest(command, options, options.merged === true, folder)
      return finish(0)
    }
    const files = await findFiles(folder)
    if (files.length === 0 && !options.allowEmpty) {
      throw new CommandProblem(
        `There is no lockfile or bill of materials under '${folder}'. If that is right, say --allow-empty.`,
      )
    }
    finish(await uploadFiles(command, options, files, folder))
  })
}
