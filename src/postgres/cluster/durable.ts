import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Begins the name of everything half-made, so that the next start can clear what a kill left behind. */
export const UNFINISHED = 'unfinished-'

export function unfinished(folder: string): string {
  return join(folder, UNFINISHED + randomBytes(8).toString('hex'))
}

/** Makes a file that is either whole or absent; where it exists already, that one stays. Returns what it now holds. */
export function createOnce(file: string, text: string): string {
  for (;;) {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
    const draft = unfinished(dirname(file))
    try {
      const handle = openSync(draft, 'wx', 0o600)
      writeSync(handle, text)
      fsyncSync(handle)
      closeSync(handle)
      linkSync(draft, file) // unlike rename, fails if another start was faster
      syncFolder(dirname(file))
    } catch (error) {
      // ENOENT: the start that was faster has cleared our draft away.
      if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOENT') throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
}

export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
