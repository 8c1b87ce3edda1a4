import pg from 'pg'
import { Fault } from '../../contract/fault.ts'
import { applicationName } from '../migrations/version-fence.ts'

/** How to reach the database. */
export type ConnectionOptions = {
  host?: string
  port?: number
  user?: string
  password?: string
  database?: string
  connectionString?: string
  ssl?: false
  /** A login for each working role, where each has one: what is sent over its connections then reaches no other role. */
  logins?: Record<WorkingRole, { user: string; password: string }>
  /** Whether the login is for service alone. One that owns the schema, or could become more, is refused then. */
  serviceLogin?: boolean
  /** The setting that says so, for messages. */
  setting?: string
}

/** The roles the server works as. None owns a table; none may bypass row-level security. */
export const roleNames = {
  tenant: 'gatehouse_app',
  identity: 'gatehouse_identity',
  worker: 'gatehouse_worker',
} as const

// Identifiers and counts stay below 2^53, so they are plain numbers here rather than pg's strings.
const int8 = 20
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8) return Number
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

export type WorkingRole = (typeof roleNames)[keyof typeof roleNames]

/** Client settings for a connection of one of our roles. What it may do is settled by `secureSession`, once it stands. */
export function clientConfig(to: ConnectionOptions, role: WorkingRole): pg.ClientConfig {
  return {
    ...addressOf(to),
    ...to.logins?.[role],
    types,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    // Longer than PostgreSQL itself gives a statement: only for a connection that has quietly gone.
    query_timeout: 35_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

/** Without what is ours alone. */
export function addressOf({
  logins: _,
  serviceLogin: __,
  setting: ___,
  ...address
}: ConnectionOptions): pg.ClientConfig {
  return address
}

/** PostgreSQL's errors as the caller may see them. What is not here is a bug and stays as it is. */
export function translate(error: unknown): unknown {
  if (error instanceof Fault) return error
  if (error instanceof UnsafeConnection) return unsafe(error)
  const code = (error as { code?: string }).code ?? ''
  if (code === overtakenCode) return overtaken(error)
  if (code === '53100') return new Fault('insufficient_storage', 'The disk of the database is full.', { cause: error })
  if (code === '57014') return new Fault('timeout', 'The query took longer than 30 seconds.', { cause: error })
  return isConnectionLoss(error) ? unreachable(error) : error
}

/**
 * Why no connection could be made. A server that lets nobody in (its password, its certificate or the name of the database was
 * changed) is as far away as one that is down.
 */
export function notConnected(error: unknown): unknown {
  const translated = translate(error)
  return translated instanceof Fault ? translated : unreachable(error)
}

/** A connection that would not keep tenants apart. The message is for the operator: what is wrong, and what to do. */
export class UnsafeConnection extends Error {
  override name = 'UnsafeConnection'
}

function unsafe(cause: UnsafeConnection): Fault {
  const message = 'The connection to the database is not safe, so nothing is served. The log of the server says why.'
  return new Fault('unavailable', message, { cause, retryAfterSeconds: 10 })
}

/** What the database refuses a process with that is too old for its schema (see migration 0065). */
const overtakenCode = 'GH001'

export function overtaken(cause?: unknown): Fault {
  const message =
    'A newer Gatehouse has taken over the database, and this process is too old for its schema. It serves nothing any more.'
  return new Fault('unavailable', message, { cause, retryAfterSeconds: 10 })
}

export function unreachable(cause?: unknown): Fault {
  return new Fault('unavailable', 'The database cannot be reached right now.', { cause, retryAfterSeconds: 2 })
}

const lostMessages =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable|Client was closed|client has encountered a connection error/i

/** What Citus passes on when it loses a node within a statement or a transaction: words of libpq, without a code for it. */
const lostNode =
  /failure on connection marked as essential|SSL SYSCALL error|SSL connection has been closed|closed the connection unexpectedly|connection not open|could not (receive data from|send data to) server/

export function isConnectionLoss(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  // Class 08: connection exceptions; 57P0x: the server is shutting down, crashed or starting; 53300: out of connections;
  // 25006: it has become one that only reads, and another takes its place.
  if (/^(08...|57P0[1-5]|53300|25006)$/.test(code) || isReplacedSession(error)) return true
  if (
    /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNABORTED|ENOTFOUND|EAI_AGAIN)$/.test(
      code,
    )
  )
    return true
  if (code === 'XX000' && lostNode.test(message)) return true
  return lostMessages.test(message)
}

/**
 * A statement that was prepared on this connection is not there, or another is: a pooler gave it the session of somebody else.
 * The connection remembers what it prepared, so it would fail for as long as it is used.
 */
export function isReplacedSession(error: unknown): boolean {
  return /^(26000|42P05)$/.test((error as { code?: string }).code ?? '')
}

export function isOutOfConnections(error: unknown): boolean {
  return (error as { code?: string }).code === '53300'
}

/** A standby, or a server whose disk or operator lets nobody write. */
export function isReadOnlyServer(error: unknown): boolean {
  return (error as { code?: string }).code === readOnlyCode
}

const readOnlyCode = '25006'

export function readOnlyServer(): Error {
  return Object.assign(new Error('Connection terminated: the server only reads'), { code: readOnlyCode })
}
