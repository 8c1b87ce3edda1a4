import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, readOnlyServer, roleNames } from '../connections/connection.ts'
import { admitService } from '../connections/service-logins.ts'
import { refuseTransactionPooling } from '../connections/session-pooling.ts'
import { DatabaseProblem } from '../database-problem.ts'
import { applyOnNodes } from '../distribution/apply-on-nodes.ts'
import { completeDistribution } from '../distribution/complete-distribution.ts'
import {
  appliedLevel,
  distributionLevel,
  refuseForeignDistribution,
  refusePartialDistribution,
} from '../distribution/distribution-level.ts'
import { isDistributed } from '../distribution/is-distributed.ts'
import { buildIndexes } from './build-indexes.ts'
import { digestOf, levelOf, type MigrationFile, migrationFolder, readMigrations } from './migration-files.ts'
import { connectProblem, endSessionOn, openOwnerSession } from './owner-session.ts'
import { type BackupPatience, waitForBackups } from './running-backups.ts'
import { type Turn, takeTurn } from './turn.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'
import { holdBackWriters, raiseFence, readFence, waitForOlderProcesses } from './version-fence.ts'
import { ensureRoles, hasRoles, requireBoundRoles } from './working-roles.ts'

export type Migrated = { applied: string[]; version: string }

export type MigrateOptions = Partial<BackupPatience> & {
  /** How long processes that would not survive a migration may take to end. */
  waitMs?: number
  /** Whoever waits for a lock holds up those who come after, so it gives way after that, and tries again. */
  lockTimeoutMs?: number
  folder?: string
  /** The names of those to apply; all unless told otherwise. */
  only?: readonly string[]
  /** How long the server may take to end what it waits for, when it is called off. */
  goodbyeMs?: number
  /** Ends it, whatever it waits for; what is not committed is not done. */
  signal?: AbortSignal | undefined
  /** By whoever restores a backup. Nobody else touches a database while that is not over. */
  isRestoring?: boolean
}

const oldestServer = 150_000
const usual = {
  waitMs: 60_000,
  backupWaitMs: 3_600_000,
  lockTimeoutMs: 3_000,
  goodbyeMs: 3_000,
  folder: migrationFolder,
}
const mostAttempts = 20
const pauseMs = 200
/** A lock was not to be had in time, a deadlock, a serialisation failure: nothing was done, and it can be tried again. */
const worthAnotherTry = ['55P03', '40P01', '40001']

/**
 * Brings the schema up to date, one process at a time. Plain SQL files, forward only, each in its own transaction, except for
 * indexes that are built while others write. `to` is for the owner of the schema; `service` is how requests are served, and gets the
 * roles for it. Others go on meanwhile if they can.
 */
export async function migrate(
  to: ConnectionOptions,
  service?: ConnectionOptions,
  options: MigrateOptions = {},
): Promise<Migrated> {
  const { signal } = options
  const wanted = { ...usual, ...options }
  signal?.throwIfAborted()
  const session = await openOwnerSession(to)
  const { client } = session
  let forgetSignal: (() => void) | undefined
  try {
    if (signal) forgetSignal = await endSessionOn(signal, session, to, wanted.goodbyeMs)
    await checkServer(client, to)
    await refuseForeignDistribution(client)
    // A pooler that mixes up sessions would keep the lock for whoever comes next.
    const another = async () => (await openOwnerSession(to, { signal })).client
    await refuseTransactionPooling(another).catch((error) => {
      throw isSilence(error) ? tooFewConnections(error, to) : error
    })
    const isDone = await isUpToDate(client, wanted)
    if (!isDone) await takeTurn(client, 'migrating', options.tell)
    if (!options.isRestoring) await refuseUnfinishedRestore(client)
    const applied = isDone ? [] : await bringUpToDate(client, to, wanted)
    await requireBoundRoles(client)
    if (service) await admitService(client, service)
    return { applied, version: await appliedLevel(client) }
  } catch (error) {
    signal?.throwIfAborted()
    throw isFull(error) || isFull((error as Error).cause) ? diskFull(error, to) : error
  } finally {
    forgetSignal?.()
    await session.end()
  }
}

function isFull(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === '53100'
}

function diskFull(cause: unknown, { setting }: ConnectionOptions): DatabaseProblem {
  const of = setting ? `of the database in ${setting}` : 'of the data folder'
  return new DatabaseProblem(`The disk ${of} is full. Free some space, then start again.`, { cause })
}

/** Work beside a connection of the owner of the schema, while nobody migrates it, one process at a time. */
export function whileNobodyMigrates<T>(
  to: ConnectionOptions,
  work: (client: pg.Client) => Promise<T>,
  tell?: MigrateOptions['tell'],
): Promise<T> {
  return inTurn(to, 'migrating', work, { tell })
}

/** The same for first starts, which wait for nobody who migrates. Nothing that is asked meanwhile takes long. */
export function whileNobodyStartsFirst<T>(to: ConnectionOptions, work: () => Promise<T>): Promise<T> {
  return inTurn(to, 'starting first', work, { answerMs: 35_000 })
}

async function inTurn<T>(
  to: ConnectionOptions,
  turn: Turn,
  work: (client: pg.Client) => Promise<T>,
  { tell, answerMs }: { tell?: MigrateOptions['tell']; answerMs?: number },
): Promise<T> {
  const { client, end } = await openOwnerSession(to, { answerMs })
  try {
    await checkServer(client, to)
    await takeTurn(client, turn, tell)
    return await work(client)
  } finally {
    await end()
  }
}

/** Migrations that the database has not seen yet, for commands. Those of a newer Gatehouse are refused as a start refuses them. */
export async function pendingMigrations(to: ConnectionOptions): Promise<string[]> {
  const { client, end } = await openOwnerSession(to)
  try {
    await refuseUnfinishedRestore(client)
    await refusePartialDistribution(client)
    const pending = await pendingOf(client, await appliedMigrations(client), usual)
    return pending.map(({ name }) => name)
  } finally {
    await end()
  }
}

/** Of pg, for a question that was not answered in time. */
function isSilence(error: unknown): boolean {
  return (error as Error).message === 'Query read timeout'
}

function tooFewConnections(cause: unknown, { setting = 'DATABASE_URL' }: ConnectionOptions): DatabaseProblem {
  const message =
    `The database in ${setting} answers on one connection and not on others beside it. If a pooler is in between, let it give more ` +
    '(PgBouncer: default_pool_size), at least as many as GATEHOUSE_DATABASE_CONNECTIONS.'
  return new DatabaseProblem(message, { cause })
}

async function checkServer(client: pg.Client, to: ConnectionOptions): Promise<void> {
  const { setting = 'DATABASE_URL' } = to
  const { rows } = await client.query(`select current_setting('server_version_num')::int as number,
    current_setting('server_version') as shown, current_setting('transaction_read_only')::boolean as "onlyReads"`)
  if (rows[0].number < oldestServer) {
    throw new DatabaseProblem(`PostgreSQL 15 or newer is needed; ${setting} points to version ${rows[0].shown}.`)
  }
  if (rows[0].onlyReads) throw connectProblem(readOnlyServer(), to)
}

/**
 * In any other encoding text is refused that people and programs send; in SQL_ASCII, which PostgreSQL chooses where the system has no
 * locale, letters are bytes and are searched, cut and counted wrong. It cannot be changed later, so nothing is made in such a database.
 */
async function requireEncoding(client: pg.Client, { setting = 'DATABASE_URL' }: ConnectionOptions): Promise<void> {
  const { rows } = await client.query("select current_setting('server_encoding') as encoding")
  const { encoding } = rows[0] as { encoding: string }
  if (encoding === 'UTF8') return
  throw new DatabaseProblem(
    `The database in ${setting} stores text as ${encoding}, and UTF8 is needed. Nothing was changed. Make another one: create database … encoding 'UTF8' locale 'C.UTF-8' template template0;`,
  )
}

/**
 * Whether there is nothing to do that takes a turn. Whoever has that may wait for a backup, or build an index, for an hour, and nobody
 * who has nothing to do waits for them.
 */
async function isUpToDate(client: pg.Client, options: typeof usual & MigrateOptions): Promise<boolean> {
  const done = await appliedMigrations(client)
  if (done.size === 0 || !(await hasRoles(client))) return false
  if ((await pendingOf(client, done, options)).length > 0) return false
  const distributed = await distributionLevel(client)
  return distributed === undefined || distributed === (await appliedLevel(client))
}

async function bringUpToDate(
  client: pg.Client,
  to: ConnectionOptions,
  options: typeof usual & MigrateOptions,
): Promise<string[]> {
  if ((await appliedMigrations(client)).size === 0) await requireEncoding(client, to)
  await ensureRoles(client, to)
  await prepareSchema(client, to)
  const applied = await applyPending(client, options)
  const distributed = await distributionLevel(client)
  if (distributed !== undefined && distributed !== (await appliedLevel(client))) await completeDistribution(client)
  return applied
}

/** Refuses a database that this version cannot work with. */
async function pendingOf(
  client: pg.Client,
  done: Map<string, string>,
  { folder, only }: typeof usual & MigrateOptions,
): Promise<MigrationFile[]> {
  const files = readMigrations(folder)
  await refuseNewer(client, [...done.keys()], files)
  const changed = files.find((file) => done.has(file.name) && done.get(file.name) !== digestOf(file))
  if (changed) throw new DatabaseProblem(`Migration ${changed.name} was changed after it had been applied.`)
  return files.filter(({ name }) => !done.has(name) && (only?.includes(name) ?? true))
}

async function applyPending(client: pg.Client, options: typeof usual & MigrateOptions): Promise<string[]> {
  const pending = await pendingOf(client, await appliedMigrations(client), options)
  if (pending.length === 0) return []
  // Before the first one: where it refuses, nothing was changed.
  await waitForOlderProcesses(client, Math.max(...pending.map(({ oldest }) => oldest)), options.waitMs)
  for (const file of pending) await apply(client, file, options)
  return pending.map(({ name }) => name)
}

/** The digest of each by its name. */
async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  const exists = await client.query("select to_regclass('schema_migration') is not null as found")
  if (!exists.rows[0].found) return new Map()
  const { rows } = await client.query('select name, sha256 from schema_migration')
  return new Map(rows.map((row) => [row.name, row.sha256]))
}

async function prepareSchema(client: pg.Client, { setting = 'DATABASE_URL' }: ConnectionOptions): Promise<void> {
  try {
    await client.query(`create table if not exists schema_migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  } catch (error) {
    throw new DatabaseProblem(
      `The user in ${setting} may not create tables in this database. Grant it CREATE on the schema.`,
      { cause: error },
    )
  }
  const schema = (await client.query('select current_schema() as name')).rows[0].name as string
  await client.query(`grant usage on schema ${pg.escapeIdentifier(schema)} to ${Object.values(roleNames).join(', ')}`)
}

/** A newer Gatehouse may have migrated it in a way that this one can work with: the fence says so. */
async function refuseNewer(client: pg.Client, done: string[], files: MigrationFile[]): Promise<void> {
  const newer = done.filter((name) => !files.some((file) => file.name === name))
  if (newer.length === 0) return
  const oldest = await readFence(client)
  const level = Math.max(...files.map(({ name }) => levelOf(name)))
  if (oldest !== undefined && oldest <= level) return
  throw new DatabaseProblem(
    `The database was migrated by a newer Gatehouse (${newer.join(', ')}). Start that version instead.`,
  )
}

async function apply(client: pg.Client, file: MigrationFile, options: typeof usual & MigrateOptions): Promise<void> {
  // The build of an index would wait for them anyway, without a word and without end.
  if (file.outsideTransaction) await waitForBackups(client, file.name, options)
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptToApply(client, file, options.lockTimeoutMs)
    } catch (error) {
      await client.query('rollback').catch(() => {})
      const { code = '', message } = error as { code?: string; message: string }
      if (!worthAnotherTry.includes(code) || attempt === mostAttempts)
        throw new DatabaseProblem(`Migration ${file.name} failed: ${message}`, { cause: error })
      await waitForBackups(client, file.name, options)
      await delay(pauseMs * attempt)
    }
  }
}

async function attemptToApply(client: pg.Client, file: MigrationFile, lockTimeoutMs: number): Promise<void> {
  if (file.outsideTransaction) await buildIndexes(client, file.text)
  await client.query('begin')
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
  if (file.oldest > ((await readFence(client)) ?? 0)) await holdBackWriters(client)
  if (!file.outsideTransaction) await applyText(client, file.text)
  await raiseFence(client, file.oldest)
  await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [file.name, digestOf(file)])
  await client.query('commit')
}

async function applyText(client: pg.Client, text: string): Promise<void> {
  if (await isDistributed(client)) await applyOnNodes(client, text)
  else await client.query(text)
}
