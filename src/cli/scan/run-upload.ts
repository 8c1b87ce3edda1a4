import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { CommandProblem } from '../command-problem.ts'
import { isLogName } from './files/find-files.ts'
import type { OutgoingFile } from './upload-body.ts'
import { uploadFiles, whereTheToolsRan } from './upload-command.ts'
import type { UploadOptions } from './upload-options.ts'

/** Answers with the exit code. */
export async function runUpload(
  command: Command,
  options: UploadOptions & { path?: string },
  names: readonly string[],
): Promise<number> {
  if (options.path && names.length > 1) throw new CommandProblem('--path is for a single file.')
  const files = names.map((name) => readFile(name, options.path))
  return uploadFiles(command, { ...options, root: options.root || whereTheToolsRan('.') }, files, '.')
}

function readFile(place: string, given: string | undefined): OutgoingFile {
  const stat = statSync(place, { throwIfNoEntry: false })
  if (!stat) throw new CommandProblem(`There is no file '${place}'.`)
  if (stat.isDirectory()) throw new CommandProblem(`'${place}' is a folder; use: gatehouse scan ${place}`)
  const path = (given ?? nameOf(place)).replace(/^(\.\/+)+/, '')
  if (path.startsWith('/') || path.split('/').includes('..')) {
    throw new CommandProblem(`'${path}' is not a path in the repository; give one with --path.`)
  }
  return { path, place, bytes: stat.size, followLink: true }
}

/** Where a log was written says nothing of the repository, so one from elsewhere goes by its name alone. */
function nameOf(place: string): string {
  const isElsewhere = place.startsWith('/') || place.split('/').includes('..')
  return isElsewhere && isLogName(place) ? basename(place) : place
}
