import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { addressOf, type ConnectionOptions, isConnectionLoss, roleNames } from './connection.ts'
import { DatabaseProblem } from './database-problem.ts'
import { admitService } from './service-logins.ts'
import { refuseTransactionPooling } from './session-pooling.ts'

export type Migrated = { applied: string[]; version: string }

const folder = join(import.meta.dirname, '..', '..', '..', 'migrations')
// Any number will do as long as all Gatehouse processes take the same.
const lockKey = 4_283_746_501
const oldestServer = 150_000

/**
 * Brings the schema up to date, one process at a time. Plain SQL files, forward only, each in its own transaction. `to` is for
 * who owns the schema; `service` is how requests are served, and gets the roles for it.
 */
export async function migrate(to: ConnectionOptions, service?: ConnectionOptions): Promise<Migrated> {
  const client = await connect(to)
  try {
    await checkServer(client)
    // A pooler that mixes up sessions would keep the lock for whoever comes next.
    await refuseTransactionPooling(() => connect(to))
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await ensureRoles(client)
    const applied = await applyPending(client)
    await checkRoles(client)
    if (service) await admitService(client, service)
    const version = (await client.query('select max(name) as version from schema_migration')).rows[0].version as string
    return { applied, version }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Migrations that the database has not seen yet; for `doctor`. */
export async function pendingMigrations(to: ConnectionOptions): Promise<string[]> {
  const client = await connect(to)
  try {
    const exists = await client.query("select to_regclass('schema_migration') is not null as found")
    const done = exists.rows[0].found ? (await client.query('select name from schema_migration')).rows : []
    const names = new Set(done.map((row) => row.name))
    return (await migrationFiles()).filter((name) => !names.has(name))
  } finally {
    await client.end()
  }
}

async function connect(to: ConnectionOptions): Promise<pg.Client> {
  const client = new pg.Client({
    ...addressOf(to),
    application_name: 'gatehouse migrate',
    connectionTimeoutMillis: 5_000,
  })
  try {
    await client.connect()
    return client
  } catch (error) {
    throw connectProblem(error, to)
  }
}

/** Why no connection could be made, in words. */
export function connectProblem(error: unknown, { setting = 'DATABASE_URL' }: ConnectionOptions): DatabaseProblem {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const explain = () => {
    if (code === '28P01' || code === '28000') return `The database refuses the user or password in ${setting}.`
    if (code === '3D000') return `The database in ${setting} does not exist: create it first (${message}).`
    if (isConnectionLoss(error))
      return `The database in ${setting} cannot be reached (${code || message}). Is it running, and is the address right?`
    return `The database in ${setting} cannot be used: ${message}`
  }
  return new DatabaseProblem(explain(), { cause: error })
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as shown",
  )
  if (rows[0].number < oldestServer) {
    throw new DatabaseProblem(`PostgreSQL 15 or newer is needed; DATABASE_URL points to version ${rows[0].shown}.`)
  }
}

/** The roles without a login that the server works as. They belong to the whole server, so another database may have made them. */
async function ensureRoles(client: pg.Client): Promise<void> {
  for (const role of Object.values(roleNames)) {
    try {
      const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [role])
      if (rows.length === 0) await client.query(`create role ${role} nologin`)
      const member = await client.query(
        "select pg_has_role(current_user, $1, 'MEMBER') as yes, rolsuper from pg_roles where rolname = current_user",
        [role],
      )
      if (!member.rows[0].yes) await client.query(`grant ${role} to current_user`)
    } catch (error) {
      // Another Gatehouse on another database of the same server made it in between.
      if (['42710', '23505'].includes((error as { code?: string }).code ?? '')) continue
      const sql = Object.values(roleNames).map(
        (name) => `create role ${name} nologin; grant ${name} to <user of DATABASE_URL>;`,
      )
      throw new DatabaseProblem(
        `The user in DATABASE_URL may not create roles. Ask the database's administrator to run: ${sql.join(' ')}`,
        { cause: error },
      )
    }
  }
}

/** A role that could see other tenants' rows would make every promise of isolation void: refuse to work. */
async function checkRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    'select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls)',
    [Object.values(roleNames)],
  )
  if (rows.length > 0)
    throw new DatabaseProblem(
      `The role ${rows[0].rolname} may bypass row-level security. Take that right away from it.`,
    )
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

async function applyPending(client: pg.Client): Promise<string[]> {
  try {
    await client.query(`create table if not exists schema_migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  } catch (error) {
    throw new DatabaseProblem(
      'The user in DATABASE_URL may not create tables in this database. Grant it CREATE on the schema.',
      { cause: error },
    )
  }
  const schema = (await client.query('select current_schema() as name')).rows[0].name as string
  await client.query(`grant usage on schema ${pg.escapeIdentifier(schema)} to ${Object.values(roleNames).join(', ')}`)
  const done = new Map(
    (await client.query('select name, sha256 from schema_migration')).rows.map((row) => [row.name, row.sha256]),
  )
  const files = await migrationFiles()
  const newer = [...done.keys()].filter((name) => !files.includes(name))
  if (newer.length > 0) {
    throw new DatabaseProblem(
      `The database was migrated by a newer Gatehouse (${newer.join(', ')}). Start that version instead.`,
    )
  }
  const applied: string[] = []
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (done.has(name)) {
      if (done.get(name) !== sha256)
        throw new DatabaseProblem(`Migration ${name} was changed after it had been applied.`)
      continue
    }
    await apply(client, name, text, sha256)
    applied.push(name)
  }
  return applied
}

async function apply(client: pg.Client, name: string, text: string, sha256: string): Promise<void> {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [name, sha256])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new DatabaseProblem(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}
