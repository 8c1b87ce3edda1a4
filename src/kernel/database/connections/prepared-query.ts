import { createHash } from 'node:crypto'
import pg from 'pg'
import { raw, type Sql } from 'sql-template-tag'
import { arrayValue } from '../array-literal.ts'
import { changesAccounts, turn } from '../distribution/account-turns.ts'
import { leadsToNodes } from '../distribution/distributed-connections.ts'
import { schemaLevel } from '../migrations/migration-files.ts'
import { enterFence } from '../migrations/version-fence.ts'
import { nameSession, sessionName } from './session-name.ts'

/** The most prepared statements that one connection keeps. PostgreSQL holds a plan of some 50 to 100 kB for each. */
export const mostStatements = 200
const mostNames = 2_000

/** What this file uses of pg, beyond what its types say. */
type Wire = {
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: unknown[] }): void
  execute(message: object): void
  close(message: { type: 'S'; name: string }): void
  parsedStatements: Record<string, string>
}
type QueryBase = {
  name: string
  callback: ((error: Error | null, result: { rows: unknown[] }) => void) | undefined
  hasBeenParsed(connection: Wire): boolean
  prepare(connection: Wire): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
  handleReadyForQuery(connection: Wire): void
  handleError(error: Error, connection: Wire): void
}
const Query = pg.Query as unknown as new (config: Prepared) => QueryBase

export type Prepared = { name: string; text: string; values: unknown[] }

const statementNames = new Map<string, string>()

/** A prepared statement is named by its text, so each connection plans it once. */
export function prepared({ text, values }: Sql): Prepared {
  let name = statementNames.get(text)
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    if (statementNames.size >= mostNames) statementNames.clear()
    statementNames.set(text, name)
  }
  return { name, text, values }
}

/** PostgreSQL takes ten for granted of an array that it does not know; what it plans for them serves so many well. */
const fewElements = 100

/**
 * A plan for any values is made for few rows, and an upload may bring thousands: with such an array a statement is planned for its
 * values each time. All others keep their plan: to plan the forty statements of an upload of twenty results, and again what the
 * functions among them do, was two thirds of its time in PostgreSQL.
 */
function bringsManyRows({ text, values }: Prepared): boolean {
  return text.includes('[]') && values.some(isLongArray)
}

/** As an array, or in the notation of PostgreSQL: what is in quotes there has no quote without a backslash before it. */
function isLongArray(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > fewElements
  if (typeof value !== 'string' || !value.startsWith('{')) return false
  const between = value.startsWith('{"') ? '","' : ','
  let elements = 1
  for (let at = value.indexOf(between); at >= 0 && elements <= fewElements; at = value.indexOf(between, at + 1))
    elements++
  return elements > fewElements
}

/** The statements that each connection has prepared, least recently used first. */
const statementsOf = new WeakMap<Wire, Set<string>>()

function statementsIn(connection: Wire): Set<string> {
  let known = statementsOf.get(connection)
  if (!known) {
    known = new Set()
    statementsOf.set(connection, known)
  }
  return known
}

/**
 * A prepared statement. Where the connection has as many as it may keep, the one that was not used for longest is closed
 * in the same message (`DEALLOCATE` in SQL), so that texts that vary do not grow the server process without bound.
 *
 * What comes first, the tenant or the fence, is for this statement alone. Both travel in one message and are one transaction:
 * a setting ends with it, and where the first fails PostgreSQL skips the statement.
 */
class PreparedQuery extends Query {
  #first: First | undefined
  #parses = false
  #sending = false

  constructor(statement: Prepared, first: First | undefined) {
    super({ ...statement, values: statement.values.map(arrayValue) })
    this.#first = first
  }

  override hasBeenParsed(): boolean {
    return !this.#parses
  }

  override prepare(connection: Wire): void {
    const known = statementsIn(connection)
    this.#parses = !known.delete(this.name)
    known.add(this.name)
    if (this.#parses) {
      // One of that name may be left of an attempt that failed; closing none is no error.
      connection.close({ type: 'S', name: this.name })
      if (known.size > mostStatements) closeOldest(connection, known)
    }
    if (this.#first) send(connection, this.#first)
    this.#sending = true
    super.prepare(connection)
    this.#sending = false
  }

  override handleDataRow(message: unknown): void {
    if (this.#first === undefined) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#first === undefined) super.handleCommandComplete(message, connection)
    this.#first = undefined
  }

  override handleReadyForQuery(connection: Wire): void {
    // pg would keep every text.
    delete connection.parsedStatements[this.name]
    super.handleReadyForQuery(connection)
  }

  override handleError(error: Error, connection: Wire): void {
    const wasPrepared = !this.#parses || connection.parsedStatements[this.name] !== undefined
    // pg closes a statement whose values cannot be sent.
    if (this.#sending || !wasPrepared) statementsIn(connection).delete(this.name)
    delete connection.parsedStatements[this.name]
    super.handleError(error, connection)
  }
}

function closeOldest(connection: Wire, known: Set<string>): void {
  const [oldest] = known
  known.delete(oldest!)
  connection.close({ type: 'S', name: oldest! })
}

/** A statement that the connection has prepared already, and its values. */
type First = { statement: string; values: string[] }

function send(connection: Wire, first: First): void {
  connection.bind(first)
  connection.execute({})
}

/** For the transaction, not the session: a connection never remembers whom it served. */
const setTenant = "set_config('gatehouse.tenant', $1, true)"
/**
 * Not where the schema is for a newer Gatehouse. What only reads waits for nobody who raises the fence. By subselects: a planner
 * without statistics expects thousands of rows in a table of one, and would plan for the values each time to save some of them.
 */
const readingTenant = {
  name: 'read-as-tenant',
  text: `select case when (select oldest from schema_fence) <= ${schemaLevel} then ${setTenant}
    else refuse_overtaken(${schemaLevel}) end, ${nameSession('$2')}`,
}
/** The same on a replica, and not where it has not replayed what `$3` says, or is none any more. */
const readingReplica = {
  name: 'read-replica-as-tenant',
  text: `select case when ((select oldest from schema_fence) <= ${schemaLevel}) is not true then refuse_overtaken(${schemaLevel})
    when pg_is_in_recovery() and pg_last_wal_replay_lsn() - '0/0'::pg_lsn >= $3::bigint then ${setTenant}
    else refuse_stale() end, ${nameSession('$2')}`,
}
const writingTenant = { name: 'write-as-tenant', text: `${enterFence}, ${setTenant}, ${nameSession('$2')}` }
const fence = { name: 'enter-fence', text: `${enterFence}, ${nameSession('$1')}` }
/** The same for what changes accounts, on a distributed database. Whoever prepares it waits for nobody. */
const fenceInTurn = {
  name: 'enter-fence-in-turn',
  text: `${fence.text}, case when $2::boolean then ${turn}::text end`,
}

/** Has to be done once on a connection that reads for tenants. */
export async function prepareTenants(client: pg.ClientBase): Promise<void> {
  await client.query({ ...readingTenant, values: ['', ''] })
}

/** Has to be done once on a connection to a replica. */
export async function prepareReplica(client: pg.ClientBase): Promise<void> {
  await client.query({ ...readingReplica, values: ['', '', '0'] })
}

/** Has to be done once on a connection for `executeFenced`. */
export async function prepareFence(client: pg.ClientBase): Promise<void> {
  await client.query({ ...fence, values: [''] })
  if (leadsToNodes(client)) await client.query({ ...fenceInTurn, values: ['', false] })
}

/** Sets the tenant of the transaction that is open, and holds the fence. */
export async function bindTenant(client: pg.ClientBase, deploymentId: number): Promise<void> {
  const bound = client.query({ ...writingTenant, values: [String(deploymentId), sessionName()] })
  await Promise.all([bound, tellNodes(client, deploymentId)])
}

/** In the transaction that is open. */
export async function execute<Row>(client: pg.ClientBase, statement: Sql): Promise<Row[]> {
  // The text of a statement is put together each time it is asked for.
  const ready = prepared(statement)
  const query = new PreparedQuery(ready, undefined)
  const inTurn = leadsToNodes(client) && changesAccounts(ready.text)
  const plansForValues = isPipelined(client) && bringsManyRows(ready)
  if (!inTurn && !plansForValues) return run<Row>(client, query)
  const before = inTurn ? client.query(`select ${turn}`) : undefined
  const planned = plansForValues ? client.query('set local plan_cache_mode = force_custom_plan') : undefined
  const answered = run<Row>(client, query)
  if (plansForValues) client.query('reset plan_cache_mode').catch(() => {})
  // The first that failed is the reason for the others.
  const [, , rows] = await Promise.all([before, planned, answered])
  return rows
}

/** Whether statements are sent while earlier ones are still being answered. */
function isPipelined(client: pg.ClientBase): boolean {
  return (client as { pipeline?: boolean }).pipeline === true
}

/** In a transaction of its own, that only reads. */
export function executeFor<Row>(client: pg.ClientBase, tenant: number, statement: Prepared): Promise<Row[]> {
  if (leadsToNodes(client)) return executeOnNodes<Row>(client, tenant, statement)
  const first = { statement: readingTenant.name, values: [String(tenant), sessionName()] }
  return run<Row>(client, new PreparedQuery(statement, first))
}

/**
 * On a replica, in a transaction of its own. The snapshot of the statement is younger than the look at what is replayed, so it
 * has all of that.
 */
export function executeOnReplica<Row>(
  client: pg.ClientBase,
  { tenant, lsn }: { tenant: number; lsn: number },
  statement: Prepared,
): Promise<Row[]> {
  const first = { statement: readingReplica.name, values: [String(tenant), sessionName(), String(lsn)] }
  return run<Row>(client, new PreparedQuery(statement, first))
}

/** Sets the tenant of the transaction that is open; nobody's where there is none. */
export function workFor(tenant: number | undefined): Sql {
  // By a statement of its own: what a function sets is not told to other nodes of a distributed database.
  return raw(`set local gatehouse.tenant = '${tenant ?? ''}'`)
}

async function tellNodes(client: pg.ClientBase, tenant: number): Promise<void> {
  if (leadsToNodes(client)) await client.query(workFor(tenant).text)
}

/** Sent together; where one fails, the rest does too, and the commit takes it all back. */
async function executeOnNodes<Row>(client: pg.ClientBase, tenant: number, statement: Prepared): Promise<Row[]> {
  const sent = [
    client.query('begin'),
    client.query({ ...readingTenant, values: [String(tenant), sessionName()] }),
    tellNodes(client, tenant),
    run<Row>(client, new PreparedQuery(statement, undefined)),
    client.query('commit'),
  ] as const
  // The first that failed is the reason for the others.
  const ends = await Promise.allSettled(sent)
  const failed = ends.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return await sent[3]
}

/** In a transaction of its own, that may write. */
export function executeFenced<Row>(client: pg.ClientBase, statement: Sql): Promise<Row[]> {
  const first =
    leadsToNodes(client) && changesAccounts(statement.text)
      ? { statement: fenceInTurn.name, values: [sessionName(), 'true'] }
      : { statement: fence.name, values: [sessionName()] }
  return run<Row>(client, new PreparedQuery(prepared(statement), first))
}

async function run<Row>(client: pg.ClientBase, query: PreparedQuery): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result.rows as Row[]))
      client.query(query as unknown as pg.Submittable)
    })
  } catch (error) {
    // Leads to whoever asked, and not to the socket.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
