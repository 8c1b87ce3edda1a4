import { resolve } from 'node:path'
import type pg from 'pg'
import packageJson from '../../package.json' with { type: 'json' }
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { writeBackupFile } from './backup-file.ts'
import { BackupProblem } from './backup-problem.ts'
import { dump } from './dump.ts'
import { explained, lockSession, withSession } from './session.ts'

export type BackupOptions = {
  passphrase?: string | undefined
  key?: string | undefined
  /** Ends it before it is whole; nothing of it stays. */
  signal?: AbortSignal | undefined
  reserveBytes?: number | undefined
}

/** Answers its size in bytes. When it is whole, the database says so. */
export async function makeBackup(owner: ConnectionOptions, file: string, options: BackupOptions = {}): Promise<number> {
  const { passphrase, key, signal, reserveBytes } = options
  try {
    const frames = dump(owner, packageJson.version, key, signal)
    const bytes = await alone(owner, file, signal, () =>
      writeBackupFile(file, frames, passphrase, { signal, reserveBytes }),
    )
    await withSession(owner, (client) => recordBackup(client, bytes), { signal, ...lockSession })
    return bytes
  } catch (error) {
    signal?.throwIfAborted()
    throw explained(error)
  }
}

async function recordBackup(client: pg.Client, bytes: number): Promise<void> {
  await client.query(
    `insert into last_backup (finished_at, bytes) values (now(), $1)
      on conflict (is_only) do update set finished_at = excluded.finished_at, bytes = excluded.bytes`,
    [bytes],
  )
}

/** Two that write to one file would mix their bytes, and give it its name all the same. */
function alone<T>(
  owner: ConnectionOptions,
  file: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const locked = async (client: pg.Client) => {
    if (await tryLockFile(client, file)) return work()
    throw new BackupProblem(`Another backup to '${file}' is under way.`)
  }
  return withSession(owner, locked, { signal, ...lockSession })
}

/** Until the connection ends. */
export async function tryLockFile(client: pg.Client, file: string): Promise<boolean> {
  const lock = "select pg_try_advisory_lock(hashtext('gatehouse backup to'), hashtext($1)) as taken"
  return (await client.query(lock, [resolve(file)])).rows[0].taken
}
