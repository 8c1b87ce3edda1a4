import { resolve } from 'node:path'
import type pg from 'pg'
import packageJson from '../../package.json' with { type: 'json' }
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { writeBackupFile } from './backup-file.ts'
import { BackupProblem } from './backup-problem.ts'
import { dump } from './dump.ts'
import type { Frame } from './frames.ts'
import { explained, withSession } from './session.ts'

export type BackupOptions = {
  passphrase?: string | undefined
  key?: string | undefined
  /** Ends it before it is whole; nothing of it stays. */
  signal?: AbortSignal
}

/** Answers its size in bytes. When it is whole, the database says so. */
export async function makeBackup(owner: ConnectionOptions, file: string, options: BackupOptions = {}): Promise<number> {
  try {
    const frames = until(dump(owner, packageJson.version, options.key), options.signal)
    const bytes = await alone(owner, file, () => writeBackupFile(file, frames, options.passphrase))
    await withSession(owner, (client) => recordBackup(client, bytes))
    return bytes
  } catch (error) {
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
function alone<T>(owner: ConnectionOptions, file: string, work: () => Promise<T>): Promise<T> {
  return withSession(owner, async (client) => {
    if (await tryLockFile(client, file)) return work()
    throw new BackupProblem(`Another backup to '${file}' is under way.`)
  })
}

/** Until the connection ends. */
export async function tryLockFile(client: pg.Client, file: string): Promise<boolean> {
  const lock = "select pg_try_advisory_lock(hashtext('gatehouse backup to'), hashtext($1)) as taken"
  return (await client.query(lock, [resolve(file)])).rows[0].taken
}

async function* until(frames: AsyncIterable<Frame>, signal: AbortSignal | undefined): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    signal?.throwIfAborted()
    yield frame
  }
}
