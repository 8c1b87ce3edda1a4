import type { Command } from 'commander'
import { rootOption, type UploadOptions, withUploadOptions } from './upload-options.ts'

export function uploadCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('upload')
    .description('upload files as one scan: the inventory then has the lockfiles among them and no others')
    .argument('<file...>', 'lockfiles, bills of materials and SARIF logs; their paths are those in the repository')
    .option('--path <path>', 'path in the repository, for a single file')
    .option(...rootOption)
  withUploadOptions(command).action(async (names: string[], options: UploadOptions & { path?: string }) => {
    const { runUpload } = await import('./run-upload.ts')
    finish(await runUpload(command, options, names))
  })
}
