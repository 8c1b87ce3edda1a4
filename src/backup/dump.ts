import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { isDistributed } from '../kernel/database/distribution/is-distributed.ts'
import { BackupProblem } from './backup-problem.ts'
import type { Frame } from './frames.ts'
import { openSession } from './session.ts'

/** What migrations leave by themselves, and what says something about this database alone. */
const left = ['schema_migration', 'schema_fence', 'last_backup', 'replica_proof']

/** Also for a lock that somebody else has. */
const silenceMs = 10 * 60_000

const mostAttempts = 10
/** Somebody dropped a table since they were listed, or changes two of them in another order than ours. */
const worthAnotherTry = ['42P01', '40P01']

/**
 * All rows of all tables as of one moment, beside whoever works. Read in one snapshot and piece by piece; nothing waits for it but
 * what changes tables.
 */
export async function* dump(
  owner: ConnectionOptions,
  version: string,
  key: string | undefined,
  signal?: AbortSignal,
): AsyncGenerator<Frame> {
  const { client, end } = await openSession(owner, { signal, silenceMs })
  try {
    await requireAllRows(client)
    await requireOneNode(client)
    const tables = await beginWithLocks(client)
    const { rows: migrations } = await client.query('select name, sha256 from schema_migration order by name')
    yield { type: 'header', header: { madeAt: new Date().toISOString(), version, migrations } }
    for (const { table, columns } of tables) {
      yield { type: 'table', table, columns }
      const rows = client.query(copyTo(`copy ${pg.escapeIdentifier(table)} (${listed(columns)}) to stdout`))
      // Told once more when its connection ends, and then there may be nobody left to hear it.
      rows.on('error', () => {})
      for await (const bytes of rows) yield { type: 'rows', bytes: bytes as Buffer }
    }
    // After the rows: a number that was taken since is skipped, never given twice.
    const { rows: values } =
      await client.query(`select sequencename as name, last_value::text as value from pg_sequences
      where schemaname = current_schema() and last_value is not null`)
    yield { type: 'sequences', values }
    if (key !== undefined) yield { type: 'key', key }
    await client.query('commit')
  } finally {
    await end()
  }
}

type Table = { table: string; columns: string[] }

/**
 * Begins the transaction, and keeps all tables as they are until its end: one that is rewritten looks empty to a snapshot from before.
 * A lock takes no snapshot, so what it sees is from after the last lock.
 */
async function beginWithLocks(client: pg.Client): Promise<Table[]> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const locked = (await listTables(client)).map(({ table }) => table)
    await client.query('begin isolation level repeatable read, read only')
    // Where it would leave out rows, it fails.
    await client.query('set local row_security = off; set local statement_timeout = 0')
    if (await lockTables(client, locked)) {
      const tables = await listTables(client)
      if (tables.every(({ table }) => locked.includes(table))) return tables
    }
    await client.query('rollback')
  }
  throw new BackupProblem(
    'No backup was made: tables are being made and dropped. Wait until migrations are over, then try again.',
  )
}

/** False where they are to be listed again. */
async function lockTables(client: pg.Client, tables: string[]): Promise<boolean> {
  if (tables.length === 0) return true
  try {
    await client.query(`lock table ${listed(tables)} in access share mode`)
    return true
  } catch (error) {
    if (worthAnotherTry.includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

/** With the columns that hold something of their own. */
async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relname <> all($1)
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by c.relname order by c.relname`,
    [left],
  )
  return rows
}

export function listed(names: string[]): string {
  return names.map(pg.escapeIdentifier).join(', ')
}

/** Nodes of Citus have no moment in common at which all of them could be read. */
async function requireOneNode(client: pg.Client): Promise<void> {
  if (!(await isDistributed(client))) return
  throw new BackupProblem(
    'The database is distributed by Citus. Back up its nodes together: docs/citus.md, section Backups, says how.',
  )
}

/** Row-level security holds for the owner of the tables too. */
export async function requireAllRows(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    'select rolsuper or rolbypassrls as all_rows, rolname from pg_roles where rolname = current_user',
  )
  const { all_rows, rolname } = rows[0] as { all_rows: boolean; rolname: string }
  if (all_rows) return
  throw new BackupProblem(
    `Backups read and write the rows of all tenants, which the owner of the schema may not. Ask the database's administrator to run: alter role ${pg.escapeIdentifier(rolname)} bypassrls;`,
  )
}
