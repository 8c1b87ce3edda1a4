import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder, unfinished } from './durable.ts'

/**
 * A copy of a data folder has the id of the original, by which processes are told apart and archives of WAL are named: started, it would
 * stop the server of the original and write into its archive. So a folder knows where it was last started. Where the original is still
 * there, the copy gets an id of its own; a folder that was moved keeps its id.
 */
export function settleCopy(base: string, give: (path: string) => void): void {
  const id = readIfThere(join(base, 'id'))
  const startedIn = join(base, 'place')
  const before = readIfThere(startedIn)?.trim()
  if (before === base) return
  // The database of one that is elsewhere was not copied with it.
  const isOwn = id !== undefined && /^[0-9a-f]{32}$/.test(id.trim())
  if (isOwn && before !== undefined && isOriginal(before, base, id)) {
    replace(base, 'id', `${randomBytes(16).toString('hex')}\n`, give)
  }
  replace(base, 'place', `${base}\n`, give)
}

/** What may not be looked at belongs to somebody else, and is there. */
function isOriginal(before: string, base: string, id: string): boolean {
  try {
    const [one, other] = [statSync(before), statSync(base)]
    if (one.ino === other.ino && one.dev === other.dev) return false
    return readFileSync(join(before, 'id'), 'utf8') === id
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function replace(base: string, name: string, text: string, give: (path: string) => void): void {
  const draft = unfinished(base)
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  give(draft)
  renameSync(draft, join(base, name))
  syncFolder(base)
}
