import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { addressOf, type ConnectionOptions, isConnectionLoss, isReadOnlyServer } from '../connections/connection.ts'
import { DatabaseProblem } from '../database-problem.ts'

export type OwnerSession = {
  client: pg.Client
  /** At once, whatever it waits for. */
  cut(): void
  end(): Promise<void>
}

export type OwnerSessionOptions = {
  connectMs?: number
  /** How long a statement may take; for ever unless told, because an index is built in one. */
  answerMs?: number | undefined
  /** Cuts it. */
  signal?: AbortSignal | undefined
}

/** One whose other side has quietly gone is not waited for. */
const goodbyeMs = 3_000

/** A connection of the owner of the schema. TCP asks whether the other side is there, as a statement may take an hour. */
export async function openOwnerSession(
  to: ConnectionOptions,
  { connectMs = 5_000, answerMs, signal }: OwnerSessionOptions = {},
): Promise<OwnerSession> {
  const socket = new Socket()
  const client = new pg.Client({
    ...addressOf(to),
    application_name: 'gatehouse migrate',
    connectionTimeoutMillis: connectMs,
    ...(answerMs !== undefined && { query_timeout: answerMs }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => socket,
  })
  // Whoever waits for an answer is told that there will be none.
  client.on('error', () => {})
  const cut = () => void socket.destroy()
  const end = async () => {
    const waiting = new AbortController()
    const goodbye = client.end().catch(() => {})
    await Promise.race([goodbye, delay(goodbyeMs, undefined, waiting).catch(() => {})])
    waiting.abort()
    cut()
  }
  signal?.addEventListener('abort', cut, { once: true })
  socket.once('close', () => signal?.removeEventListener('abort', cut))
  try {
    await client.connect()
    return { client, cut, end }
  } catch (error) {
    cut()
    throw connectProblem(error, to)
  }
}

/**
 * Ends a session when the signal says so, by another one: one that waits for an answer takes no other word. Where the server does not
 * answer that either, it is cut, and the server ends it by itself.
 */
export async function endSessionOn(
  signal: AbortSignal,
  { client, cut }: OwnerSession,
  to: ConnectionOptions,
  patienceMs: number,
): Promise<() => void> {
  let pid: number | undefined
  const terminate = async () => {
    if (pid === undefined) return
    const other = await openOwnerSession(to, { connectMs: patienceMs, answerMs: patienceMs })
    await other.client.query('select pg_terminate_backend($1)', [pid]).finally(other.end)
  }
  const listener = () =>
    void terminate()
      .catch(() => {})
      .finally(cut)
  signal.throwIfAborted()
  signal.addEventListener('abort', listener, { once: true })
  pid = (await client.query('select pg_backend_pid() as pid')).rows[0].pid
  return () => signal.removeEventListener('abort', listener)
}

/** Why no connection could be made, in words. */
export function connectProblem(error: unknown, { setting = 'DATABASE_URL' }: ConnectionOptions): DatabaseProblem {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const explain = () => {
    if (code === '28P01') return `The database refuses the user or password in ${setting}.`
    if (code === '28000') return `The database does not let the login in ${setting} in: ${message}.`
    if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
      return `The certificate of the database in ${setting} is not accepted (${code}). If your own authority signs it, name its certificate: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.`
    if (code === '3D000') return `The database in ${setting} does not exist: create it first (${message}).`
    if (isReadOnlyServer(error))
      return `The database in ${setting} only reads: it is a standby, or default_transaction_read_only is on there. Name the primary, or what leads to it.`
    if (isConnectionLoss(error))
      return `The database in ${setting} cannot be reached (${code || message}). Is it running, and is the address right?`
    return `The database in ${setting} cannot be used: ${message}`
  }
  return new DatabaseProblem(explain(), { cause: error })
}
