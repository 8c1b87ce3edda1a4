import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PostgresProblem } from './problem.ts'

export type Lock = { release(): void }

const BUSY = 5 // SQLITE_BUSY

/**
 * One Gatehouse per data folder. Node has no file locks of its own, but SQLite takes real ones (fcntl): the system
 * drops them when the process dies, however it dies, and two starts in the same moment cannot both get them, which no
 * arrangement of pid files can promise. The SQLite file itself stays empty.
 */
export function takeLock(file: string, dataFolder: string): Lock {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    // Without this the lock would leave a journal file behind.
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN IMMEDIATE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== BUSY) throw error
    const holder = lockHolder(file)
    const who = holder ? `Another Gatehouse (process ${holder})` : 'Another Gatehouse'
    throw new PostgresProblem(
      `${who} already uses the data folder '${dataFolder}'. Stop it first, or set GATEHOUSE_DATA to another folder.`,
      { cause: error },
    )
  }
  writeFileSync(holderFile(file), `${process.pid}\n`, { mode: 0o600 })
  return { release: () => database.close() }
}

/** Who took the lock last; only worth asking while it is held. */
export function lockHolder(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(holderFile(file), 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

function holderFile(file: string): string {
  return `${file}.pid`
}
