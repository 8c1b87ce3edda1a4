import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { type Migrated, migrate } from '../kernel/database/migrations/migrate.ts'
import { digestOf, readMigrations } from '../kernel/database/migrations/migration-files.ts'
import {
  markRestore,
  refuseUnfinishedRestore,
  unmarkRestore,
} from '../kernel/database/migrations/unfinished-restore.ts'
import { BackupProblem } from './backup-problem.ts'
import { listed, requireAllRows } from './dump.ts'
import { type BackupHeader, damaged, type Frame } from './frames.ts'
import { explained, withSession } from './session.ts'

export type Restored = { header: BackupHeader; tables: number; keptKey: boolean; migrated: string[] }

/**
 * Brings a backup into an empty database: the schema that it is of, its rows in one transaction, then the migrations since.
 * `read` is called twice, because nothing is changed before the whole file was seen to be right. `keepKey` is given the master
 * key that the backup has, and says whether it was kept. Until all that is done, nobody else works with the database.
 */
export async function restore(
  owner: ConnectionOptions,
  service: ConnectionOptions,
  read: () => AsyncIterable<Frame>,
  keepKey: (key: string) => boolean,
): Promise<Restored> {
  const { header, tables, key } = await examine(read())
  const names = header.migrations.map(({ name }) => name)
  await withClient(owner, async (client) => {
    await requireEmpty(client)
    await markRestore(client)
  })
  await migrate(owner, undefined, { only: names, isRestoring: true })
  await load(owner, read())
  const { applied }: Migrated = await migrate(owner, service, { isRestoring: true })
  const keptKey = key !== undefined && keepKey(key)
  await withClient(owner, unmarkRestore)
  return { header, tables, keptKey, migrated: applied }
}

async function examine(frames: AsyncIterable<Frame>) {
  let header: BackupHeader | undefined
  let key: string | undefined
  let tables = 0
  for await (const frame of frames) {
    if (frame.type === 'file')
      throw new BackupProblem('The file is the base of an archive of WAL. Name its folder, and a moment with --to.')
    if (frame.type === 'header') header = frame.header
    else if (!header) throw damaged()
    if (frame.type === 'table') tables++
    if (frame.type === 'key') key = frame.key
  }
  if (!header) throw damaged()
  requireKnown(header)
  return { header, tables, key }
}

function requireKnown({ migrations, version }: BackupHeader): void {
  const known = new Map(readMigrations().map((file) => [file.name, digestOf(file)]))
  const unknown = migrations.find(({ name, sha256 }) => known.get(name) !== sha256)
  if (!unknown) return
  throw new BackupProblem(
    `The backup is of Gatehouse ${version}, whose schema this version does not know (${unknown.name}). Restore it with that version or a newer one. Nothing was changed.`,
  )
}

async function requireEmpty(client: pg.Client): Promise<void> {
  await requireAllRows(client)
  await refuseUnfinishedRestore(client)
  const { rows } = await client.query(`select relname from pg_class
    where relkind in ('r', 'p') and relnamespace = to_regnamespace(quote_ident(current_schema())) limit 1`)
  if (rows.length === 0) return
  throw new BackupProblem(
    'The database is not empty, and a backup is restored into an empty one. Set GATEHOUSE_DATA to a new folder, or DATABASE_URL to a new database. Nothing was changed.',
  )
}

type Constraint = { table: string; name: string; definition: string }

/** As one transaction. Foreign keys are made again at its end, which checks every row against them. */
async function load(owner: ConnectionOptions, frames: AsyncIterable<Frame>): Promise<void> {
  const loaded = withClient(owner, async (client) => {
    await client.query('begin')
    const constraints = await dropForeignKeys(client)
    const tables = await tablesWithTriggers(client)
    for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
    await client.query(`truncate ${tables.join(', ')}`)
    await loadRows(client, frames)
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
    for (const { table, name, definition } of constraints)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    await client.query('commit')
    await client.query('analyze')
  })
  await loaded.catch((error) => {
    throw explained(error, 'The restore was broken off')
  })
}

async function dropForeignKeys(client: pg.Client): Promise<Constraint[]> {
  const { rows } =
    await client.query<Constraint>(`select conrelid::regclass::text as table, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'f' and connamespace = to_regnamespace(quote_ident(current_schema()))`)
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`)
  return rows
}

/** Without what migrations keep for themselves. */
async function tablesWithTriggers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`select oid::regclass::text as name from pg_class where relkind = 'r'
    and relnamespace = to_regnamespace(quote_ident(current_schema())) and relname not in ('schema_migration', 'schema_fence', 'unfinished_restore')`)
  return rows.map(({ name }) => name)
}

async function loadRows(client: pg.Client, frames: AsyncIterable<Frame>): Promise<void> {
  let into: Writable | undefined
  // It may fail while the next frame is read, and once more when its connection ends, when nobody else listens.
  let failure: Error | undefined
  const end = async () => {
    if (failure) throw failure
    if (!into) return
    into.end()
    await finished(into)
    into = undefined
  }
  for await (const frame of frames) {
    if (frame.type === 'rows') {
      if (failure) throw failure
      if (!into!.write(frame.bytes)) await once(into!, 'drain')
      continue
    }
    await end()
    if (frame.type === 'table') {
      const { table, columns } = frame
      into = client.query(copyFrom(`copy ${pg.escapeIdentifier(table)} (${listed(columns)}) from stdin`))
      into.on('error', (error: Error) => {
        failure ??= error
      })
    }
    if (frame.type === 'sequences') {
      for (const { name, value } of frame.values)
        await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(name), value])
    }
  }
  await end()
}

function withClient(owner: ConnectionOptions, work: (client: pg.Client) => Promise<void>): Promise<void> {
  return withSession(owner, work, { name: 'gatehouse restore' })
}
