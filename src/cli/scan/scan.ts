import type { Command } from 'commander'
import type { ScanOptions } from './run-scan.ts'
import { rootOption, withUploadOptions } from './upload-options.ts'

export function scanCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('scan')
    .description('find every lockfile, bill of materials and new SARIF log under a folder and upload them as one scan')
    .argument('[folder]', 'where to look', '.')
    .option('--sarif <file...>', 'SARIF logs to send too, from anywhere')
    .option('--no-sarif', 'send no SARIF log')
    .option(...rootOption)
    .option('--allow-empty', 'also where there is none: the repository has no dependencies')
    .option('--closed', 'scan nothing: say that the pull request was closed')
    .option('--merged', 'scan nothing: say that the pull request was merged')
    .option('--deleted', 'scan nothing: say that the branch of --ref was deleted')
  withUploadOptions(command).action(async (folder: string, options: ScanOptions) => {
    const { runScan } = await import('./run-scan.ts')
    finish(await runScan(command, options, folder))
  })
}
