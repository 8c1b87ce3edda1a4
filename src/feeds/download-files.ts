import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { giveToOwner } from '../kernel/disk/folder-owner.ts'
import { type FileLock, tryFileLock } from '../kernel/threads/file-lock.ts'

export type DownloadFile = { path: string; remove(): Promise<void> }

/** Those without a lock may be of a release that took none, and of a process that is at it. */
const mostMsWithoutLock = 24 * 3_600_000

export function downloadFolder(dataFolder: string): string {
  return join(dataFolder, 'feeds')
}

/** A name for a new file. As long as this process lives and has not removed it, others let it be. */
export function newDownloadFile(folder: string): DownloadFile {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 })) giveToOwner(dirname(folder), folder)
  const { id, lock } = newLock(folder)
  const path = join(folder, `${id}.download`)
  const remove = async () => {
    await rm(path, { force: true })
    await rm(lockFile(folder, id), { force: true })
    lock?.release()
  }
  return { path, remove }
}

/** What processes that were killed have left in the folder, which several may share. */
export async function removeLeftDownloads(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const ids = names.flatMap((name) => /^([0-9a-f-]{36})\.(?:download|lock)$/.exec(name)?.[1] ?? [])
  for (const id of new Set(ids)) {
    const path = join(folder, `${id}.download`)
    if (!existsSync(lockFile(folder, id)) && (await isRecent(path))) continue
    const lock = lockUnlessRefused(lockFile(folder, id))
    if (!lock) continue
    await rm(path, { force: true })
    await rm(lockFile(folder, id), { force: true })
    lock.release()
  }
}

/** Without a lock where the file system has none: the feed matters more. */
function newLock(folder: string): { id: string; lock: FileLock | undefined } {
  for (;;) {
    const id = randomUUID()
    try {
      const lock = tryFileLock(lockFile(folder, id))
      // Somebody who removes what was left may have been quicker to lock it, and has removed it then.
      if (lock && existsSync(lockFile(folder, id))) return { id, lock }
      lock?.release()
    } catch {
      return { id, lock: undefined }
    }
  }
}

function lockUnlessRefused(file: string): FileLock | undefined {
  try {
    return tryFileLock(file)
  } catch {
    return undefined
  }
}

/** False also for what has gone since. */
async function isRecent(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs < mostMsWithoutLock
}

function lockFile(folder: string, id: string): string {
  return join(folder, `${id}.lock`)
}
