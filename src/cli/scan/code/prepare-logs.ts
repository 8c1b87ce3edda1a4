import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { topOfCheckout } from '../subject/git-checkout.ts'
import type { OutgoingFile } from '../upload-body.ts'
import { addCode } from './add-code.ts'
import { createSources } from './source-lines.ts'

export type PreparedFiles = { files: OutgoingFile[]; remove(): void }

/**
 * The files as they are sent: logs that point at code and do not have it are copied, with the code of the checkout that `folder`
 * is in. Whatever keeps that from being done, the log goes as it is.
 */
export function prepareLogs(
  files: readonly OutgoingFile[],
  { folder, root, warn }: { folder: string; root: string | undefined; warn: (text: string) => void },
): PreparedFiles {
  const sources = createSources(topOfCheckout(resolve(folder)) ?? resolve(folder))
  let copies: string | undefined

  function prepared(file: OutgoingFile, at: number): OutgoingFile {
    try {
      copies ??= mkdtempSync(join(tmpdir(), 'gatehouse-'))
      const copy = join(copies, String(at))
      if (!addCode(file.place, copy, { sources, root })) return file
      return { path: file.path, place: copy, bytes: statSync(copy).size }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      warn(`the code could not be added to '${file.path}' (${code}); it is sent as it is`)
      return file
    }
  }

  const remove = () => copies !== undefined && rmSync(copies, { recursive: true, force: true })
  return { files: files.map((file, at) => (isLog(file) ? prepared(file, at) : file)), remove }
}

/** By its name, as the command does not open other files before they are sent. */
function isLog({ path, place }: OutgoingFile): boolean {
  return [path, place].some((name) => /\.(sarif|json)$/i.test(name))
}
