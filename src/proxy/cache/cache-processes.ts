import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileLock, tryFileLock } from '../../kernel/threads/file-lock.ts'
import type { CacheIndex } from './cache-index.ts'

/** The processes on a cache folder. Each holds a lock for as long as it lives, whatever ends it. */
export function createCacheProcesses(folder: string, temporaries: string, index: CacheIndex) {
  const own = randomUUID()
  let lock: FileLock | undefined

  /** Before anything is reserved in its name: from then on others may look whether it lives. */
  function register(): void {
    lock?.release()
    lock = undefined
    try {
      lock = tryFileLock(lockFile(own))
    } catch {
      // Where nothing can be locked, nobody counts together either.
    }
  }

  /** Those that have reserved something and live no more. */
  async function lost(): Promise<string[]> {
    const all = await index.run((transaction) => transaction.processes())
    return all.filter((process) => process !== own && !isAlive(process))
  }

  function isAlive(process: string): boolean {
    try {
      const free = tryFileLock(lockFile(process))
      free?.release()
      return free === undefined
    } catch {
      return true
    }
  }

  /** What it was writing is nobody's. The files first: as long as they are there, their room is reserved. */
  async function remove(process: string): Promise<void> {
    const left = await readdir(temporaries).catch(() => [])
    for (const name of left) if (name.startsWith(`${process}.`)) await rm(join(temporaries, name), { force: true })
    await index.run((transaction) => transaction.forget(process))
    rmSync(lockFile(process), { force: true })
  }

  function unregister(): void {
    lock?.release()
    lock = undefined
    rmSync(lockFile(own), { force: true })
  }

  const lockFile = (process: string) => join(folder, `${process}.lock`)
  return { own, register, lost, remove, unregister }
}
