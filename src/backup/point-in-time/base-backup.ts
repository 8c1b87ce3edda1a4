import { open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import packageJson from '../../../package.json' with { type: 'json' }
import type { ConnectionOptions } from '../../kernel/database/connections/connection.ts'
import { writeBackupFile } from '../backup-file.ts'
import { BackupProblem } from '../backup-problem.ts'
import type { Frame } from '../frames.ts'
import { explained, withSession } from '../session.ts'
import { type Base, baseFile } from './archive-contents.ts'

const pieceBytes = 1024 * 1024
/** PostgreSQL makes their contents again, or finds them in the archive. */
const emptied = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]
const left =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|recovery\.signal|pg_internal\.init.*|pgsql_tmp.*)$/
/** How far the cluster is: read last, so that it is of no earlier moment than the files before it. */
const control = 'global/pg_control'
/** A segment that does not get into the archive in that time will not. */
const archiveWait = '5min'

/**
 * A copy of the cluster's files beside the running server. They change meanwhile: the WAL between start and end, which the archive
 * has, makes them right.
 */
export async function makeBase(
  owner: ConnectionOptions,
  place: { cluster: string; archive: string; reserveBytes?: number },
  signal?: AbortSignal,
): Promise<Base> {
  try {
    return await withSession(owner, (client) => copyCluster(client, place, signal), { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw explained(error)
  }
}

async function copyCluster(
  client: pg.Client,
  { cluster, archive, reserveBytes }: Parameters<typeof makeBase>[1],
  signal: AbortSignal | undefined,
): Promise<Base> {
  // One who copies at once with another would wait for its checkpoint, and write the same file.
  const { rows: lock } = await client.query("select pg_try_advisory_lock(hashtext('gatehouse base backup')) as taken")
  if (!lock[0].taken) throw new BackupProblem('A base of the archive of WAL is being made already.')
  await client.query("select set_config('statement_timeout', '0', false)")
  const { rows: begun } = await client.query(
    "select pg_walfile_name(pg_backup_start('gatehouse', fast => true)) as segment",
  )
  const unnamed = join(archive, 'unfinished.base')
  await writeBackupFile(unnamed, frames(client, cluster), undefined, { signal, reserveBytes })
  const { rows: ended } = await client.query('select clock_timestamp() as at')
  const base = { endedAt: ended[0].at as Date, startSegment: begun[0].segment as string }
  const file = baseFile(archive, base.endedAt, base.startSegment)
  await rename(unnamed, file)
  return { file, ...base }
}

async function* frames(client: pg.Client, cluster: string): AsyncGenerator<Frame> {
  const header = { madeAt: new Date().toISOString(), version: packageJson.version, migrations: [] }
  yield { type: 'header', header }
  for await (const path of filesBelow(cluster, '')) yield* contentOf(cluster, path)
  yield* contentOf(cluster, control)
  const { label } = await stopBackup(client)
  yield { type: 'file', path: 'backup_label' }
  yield { type: 'rows', bytes: Buffer.from(label) }
}

/** Waits until the archive has what the copy needs: one without it is none. */
async function stopBackup(client: pg.Client): Promise<{ label: string }> {
  await client.query(`select set_config('statement_timeout', '${archiveWait}', false)`)
  try {
    const { rows } = await client.query('select labelfile as label from pg_backup_stop(wait_for_archive => true)')
    return rows[0]
  } catch (error) {
    if ((error as { code?: string }).code !== '57014') throw error
    throw new BackupProblem(
      'The archive of WAL does not take segments, so there is no base either. The log says why.',
      {
        cause: error,
      },
    )
  }
}

async function* filesBelow(cluster: string, folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(join(cluster, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (left.test(entry.name) || path === control) continue
    if (entry.isDirectory()) {
      yield `${path}/`
      if (!emptied.includes(path)) yield* filesBelow(cluster, path)
    } else if (entry.isFile()) yield path
  }
}

async function* contentOf(cluster: string, path: string): AsyncGenerator<Frame> {
  if (path.endsWith('/')) return yield { type: 'file', path }
  const handle = await open(join(cluster, path), 'r').catch((error: NodeJS.ErrnoException) => {
    // A table that was dropped since the folder was read.
    if (error.code !== 'ENOENT') throw error
  })
  if (!handle) return
  try {
    yield { type: 'file', path }
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes)
      if (bytesRead === 0) return
      yield { type: 'rows', bytes: buffer.subarray(0, bytesRead) }
    }
  } finally {
    await handle.close()
  }
}
