import { DatabaseSync } from 'node:sqlite'

export type FileLock = { release(): void }

const BUSY = 5 // SQLITE_BUSY

/**
 * Undefined while somebody else holds it. Node has no file locks of its own, but SQLite takes real ones (fcntl): the system
 * drops them when the process dies, however it dies, and two in the same moment cannot both get them, which no
 * arrangement of pid files can promise. The SQLite file itself stays empty. Nothing else may open and close it: that
 * would drop the lock too, by the rules of POSIX.
 */
export function tryFileLock(file: string): FileLock | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY') // else the lock leaves a journal file behind
    database.exec('BEGIN IMMEDIATE')
    const held = database
    return { release: () => held.close() }
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === BUSY) return undefined
    throw error
  }
}
