import { open, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { isBackupStart, markBytes, partialEnding } from './backup-file.ts'
import { tryLockFile } from './make-backup.ts'
import { withSession } from './session.ts'

/**
 * What backups that were killed left beside this file, and nobody is writing to by way of this database. It may be another
 * installation that is, so nothing is removed.
 */
export async function brokenOffBeside(file: string, owner: ConnectionOptions): Promise<string[]> {
  const folder = dirname(resolve(file))
  const names = (await readdir(folder)).filter((name) => name.endsWith(partialEnding)).sort()
  if (names.length === 0) return []
  return withSession(owner, async (client) => {
    const left: string[] = []
    for (const name of names) {
      const partial = join(folder, name)
      const isFree = await tryLockFile(client, partial.slice(0, -partialEnding.length))
      if (isFree && (await isOurs(partial))) left.push(partial)
    }
    return left
  })
}

/** False also for what has gone since. */
async function isOurs(path: string): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => undefined)
  if (!handle) return false
  try {
    const start = Buffer.alloc(markBytes)
    await handle.read(start, 0, markBytes, 0)
    return isBackupStart(start)
  } finally {
    await handle.close()
  }
}
