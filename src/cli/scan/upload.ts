import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandProblem } from '../command-problem.ts'
import { topOfCheckout } from './git-checkout.ts'
import type { OutgoingFile } from './upload-body.ts'
import { type UploadOptions, uploadFiles, withUploadOptions } from './upload-command.ts'

export function uploadCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('upload')
    .description('upload files as one scan: the inventory then has the lockfiles among them and no others')
    .argument('<file...>', 'lockfiles, bills of materials and SARIF logs; their paths are those in the repository')
    .option('--path <path>', 'path in the repository, for a single file')
    .option(
      '--root <folder>',
      'where the repository was when the tools ran, for logs with absolute paths (default: GATEHOUSE_ROOT, else the top of the checkout)',
    )
  withUploadOptions(command).action(async (names: string[], options: UploadOptions & { path?: string }) => {
    if (options.path && names.length > 1) throw new CommandProblem('--path is for a single file.')
    const files = names.map((name) => readFile(name, options.path))
    finish(await uploadFiles(command, { ...options, root: options.root || whereTheToolsRan('.') }, files, '.'))
  })
}

export function whereTheToolsRan(folder: string): string {
  return process.env.GATEHOUSE_ROOT || (topOfCheckout(resolve(folder)) ?? resolve(folder))
}

function readFile(place: string, given: string | undefined): OutgoingFile {
  const stat = statSync(place, { throwIfNoEntry: false })
  if (!stat) throw new CommandProblem(`There is no file '${place}'.`)
  if (stat.isDirectory()) throw new CommandProblem(`'${place}' is a folder; use: gatehouse scan ${place}`)
  const path = (given ?? place).replace(/^(\.\/+)+/, '')
  if (path.startsWith('/') || path.split('/').includes('..')) {
    throw new CommandProblem(`'${path}' is not a path in the repository; give one with --path.`)
  }
  return { path, place, bytes: stat.size, followLink: true }
}
