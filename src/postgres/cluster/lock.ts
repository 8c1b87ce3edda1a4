import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type FileLock, tryFileLock } from '../../kernel/threads/file-lock.ts'
import { PostgresProblem } from '../problem.ts'
import { findProcess } from '../process/platform.ts'
import type { DatabaseLocation } from './location.ts'

type Lock = { release(): void }

const CLOSED_TO_US = [3, 8, 14] // SQLITE_PERM, _READONLY, _CANTOPEN
const TRIES = 20

/** One Gatehouse per data folder. */
export async function lockPlace(place: DatabaseLocation): Promise<Lock> {
  const lock = await takeLock(place.lockFile, place.dataFolder)
  chmodSync(place.lockFile, 0o600)
  for (const file of [place.lockFile, holderFile(place.lockFile)]) place.give(file)
  return lock
}

async function takeLock(file: string, dataFolder: string): Promise<Lock> {
  for (let attempt = 1; ; attempt++) {
    const held = tryLock(file)
    if (held) {
      // A link in its place is not written through: the folder may belong to somebody other than us.
      rmSync(holderFile(file), { force: true })
      writeFileSync(holderFile(file), `${process.pid}\n`, { mode: 0o600, flag: 'wx' })
      return {
        release() {
          rmSync(holderFile(file), { force: true })
          held.release()
        },
      }
    }
    // The holder may be on its way out, or about to write down who it is.
    if (attempt < TRIES) await delay(10)
    else throw inUse(lockHolder(file), dataFolder)
  }
}

/** Who holds the lock, as far as that is written down and still true. */
export function lockHolder(file: string): number | undefined {
  let pid: number
  try {
    pid = Number.parseInt(readFileSync(holderFile(file), 'utf8'), 10)
  } catch {
    return undefined
  }
  return pid > 0 && findProcess(pid) ? pid : undefined
}

function tryLock(file: string): FileLock | undefined {
  try {
    return tryFileLock(file)
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number }
    if (!CLOSED_TO_US.includes(errcode)) throw error
    throw new PostgresProblem(
      `Cannot write '${file}'. Give the user that runs Gatehouse access to it, or choose another GATEHOUSE_DATA.`,
      { cause: error },
    )
  }
}

function inUse(holder: number | undefined, dataFolder: string): PostgresProblem {
  const who = holder ? `Another Gatehouse (process ${holder})` : 'Another Gatehouse'
  return new PostgresProblem(
    `${who} already uses the data folder '${dataFolder}'. Stop it first, or set GATEHOUSE_DATA to another folder.`,
  )
}

function holderFile(file: string): string {
  return `${file}.pid`
}
