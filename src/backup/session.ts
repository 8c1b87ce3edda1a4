import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { addressOf, type ConnectionOptions, isConnectionLoss } from '../kernel/database/connections/connection.ts'
import { backupSession } from '../kernel/database/migrations/running-backups.ts'
import { BackupProblem } from './backup-problem.ts'

export type SessionOptions = {
  name?: string
  /** Cuts it off at once, whatever it waits for. */
  signal?: AbortSignal | undefined
  /** How long it may be that nothing is sent either way; for ever unless told, because some only keep a lock. */
  silenceMs?: number | undefined
  /** How long a statement may take. */
  answerMs?: number | undefined
  /** So often a tiny statement is sent. A load balancer cuts connections that say nothing, and TCP keep-alive does not count for it. */
  awakeMs?: number | undefined
}

export type Session = { client: pg.Client; end(): Promise<void> }

const patience = { connectionTimeoutMillis: 10_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
/** For those that take a lock and keep it, where nothing takes long but what goes on beside them. */
export const lockSession = { answerMs: 60_000, awakeMs: 5 * 60_000 }
/** One whose other side has quietly gone is not waited for. */
const goodbyeMs = 3_000

/** A connection of the owner of the schema for work that takes long. One that is lost fails what waits for an answer, and nothing else. */
export async function openSession(owner: ConnectionOptions, options: SessionOptions = {}): Promise<Session> {
  const { name = backupSession, signal, silenceMs, answerMs, awakeMs } = options
  signal?.throwIfAborted()
  const socket = new Socket()
  const client = new pg.Client({
    ...addressOf(owner),
    ...patience,
    ...(answerMs !== undefined && { query_timeout: answerMs }),
    application_name: name,
    stream: () => socket,
  })
  // Without a listener, a connection that is lost would end the process.
  client.on('error', () => {})
  const cutOff = () => socket.destroy(signal!.reason)
  signal?.addEventListener('abort', cutOff, { once: true })
  if (silenceMs !== undefined) socket.setTimeout(silenceMs, () => socket.destroy(silent(silenceMs)))
  let awake: NodeJS.Timeout | undefined
  const end = async () => {
    clearInterval(awake)
    signal?.removeEventListener('abort', cutOff)
    const waiting = new AbortController()
    await Promise.race([client.end(), delay(goodbyeMs, undefined, waiting).catch(() => {})])
    waiting.abort()
    socket.destroy()
  }
  try {
    await client.connect()
    // One that was lost is noticed by whoever needs it.
    if (awakeMs !== undefined) awake = setInterval(() => void client.query('select').catch(() => {}), awakeMs)
    return { client, end }
  } catch (error) {
    await end()
    throw error
  }
}

export async function withSession<T>(
  owner: ConnectionOptions,
  work: (client: pg.Client) => Promise<T>,
  options: SessionOptions = {},
): Promise<T> {
  const { client, end } = await openSession(owner, options)
  try {
    return await work(client)
  } finally {
    await end()
  }
}

function silent(ms: number): BackupProblem {
  return new BackupProblem(
    `No backup was made: the database said nothing for ${ms / 60_000} minutes. Is it running, and can it be reached?`,
  )
}

/** What came of it and why, in words, where the database went away; any other error as it is. */
export function explained(error: unknown, outcome = 'No backup was made'): unknown {
  if (error instanceof BackupProblem || !isConnectionLoss(error)) return error
  const { message } = error as Error
  return new BackupProblem(
    `${outcome}: the connection to the database was lost (${message}). Is it running, and can it be reached?`,
    { cause: error },
  )
}
