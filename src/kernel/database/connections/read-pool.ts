import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { collectWrites } from './collect-writes.ts'
import {
  type ConnectionOptions,
  clientConfig,
  isOutOfConnections,
  isReadOnlyServer,
  isReplacedSession,
  notConnected,
  translate,
} from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'
import { type Prepared, prepared } from './prepared-query.ts'
import { sessions } from './session-pooling.ts'

/** What is particular to the server that is read from. `Scope` is what a statement is bound to: a tenant at least. */
export type Reads<Scope> = {
  /** Has to be done once on every connection. */
  prepare(client: pg.ClientBase): Promise<void>
  execute<Row>(client: pg.ClientBase, scope: Scope, statement: Prepared): Promise<Row[]>
  /** How long to wait for a first connection where the server has no more. */
  longestWaitMs: number
}

type Reader = {
  client: pg.Client
  /** When each statement under way was sent, oldest first; answers come in the same order. */
  sent: number[]
  answeredAt: number
  /** How many of those under way are known to be slow. */
  slow: number
  ready: Promise<unknown> | undefined
}

/** A connection whose oldest statement is under way for longer than this is not given more: it would hold them up. */
const slowMs = 5
const mostUnderWay = 32
const mostSlow = 500
/** Where the server has no more connections: how long to make do with those there are, and to wait for the first. */
const restMs = 2_000
const pauseMs = 100

/**
 * Connections for reads outside transactions. Several requests share one by pipelining: a statement is sent while earlier
 * ones are still being answered, in order, each with its own Sync and its own tenant. They are read-only for PostgreSQL too.
 */
export function createReadPool<Scope>(
  to: ConnectionOptions,
  size: number,
  heartbeat: Pick<Heartbeat, 'check' | 'stream' | 'verify' | 'onShortage' | 'noteShortage'>,
  reads: Reads<Scope>,
) {
  const readers: Reader[] = []
  /** The names of statements that took long when they last ran. */
  const slowStatements = new Set<string>()
  let closed = false
  let makeDoUntil = 0
  heartbeat.onShortage(giveBackIdle)

  async function query<Row>(scope: Scope, statement: Sql): Promise<Row[]> {
    heartbeat.check()
    const ready = prepared(statement)
    const isSlow = slowStatements.has(ready.name)
    try {
      const reader = choose(isSlow)
      // Sent at once where it stands: whoever comes next sees that it is busy.
      return await send<Row>(reader.ready ? await connected(reader, isSlow) : reader, scope, ready)
    } catch (error) {
      // These connections only read in any case: a statement that is refused for it was to write, which is a bug.
      throw isReadOnlyServer(error) ? error : translate(error)
    }
  }

  /** Where the server has no more to give, another that stands, or the first that there is. */
  async function connected(chosen: Reader, isSlow: boolean): Promise<Reader> {
    const deadline = performance.now() + reads.longestWaitMs
    for (let reader = chosen; ; reader = choose(isSlow)) {
      try {
        if (reader.ready) await reader.ready
        return reader
      } catch (error) {
        if (!isOutOfConnections(error) || performance.now() > deadline) throw translate(error)
        makeDoUntil = performance.now() + restMs
        if (readers.length === 0) heartbeat.noteShortage()
        await delay(pauseMs)
      }
    }
  }

  async function send<Row>(reader: Reader, scope: Scope, statement: Prepared): Promise<Row[]> {
    const sentAt = performance.now()
    const isSlow = slowStatements.has(statement.name)
    reader.ready = undefined
    reader.sent.push(sentAt)
    if (isSlow) reader.slow++
    try {
      collectWrites(reader.client, setImmediate)
      return await reads.execute<Row>(reader.client, scope, statement)
    } catch (error) {
      if (isReplacedSession(error)) end(reader)
      throw error
    } finally {
      const now = performance.now()
      remember(statement.name, now - Math.max(sentAt, reader.answeredAt))
      reader.answeredAt = now
      reader.sent.shift()
      if (isSlow) reader.slow--
    }
  }

  /** By how long it took last, from when its turn came. */
  function remember(name: string, tookMs: number): void {
    if (tookMs < slowMs) slowStatements.delete(name)
    else if (slowStatements.size < mostSlow) slowStatements.add(name)
  }

  /**
   * Few busy connections are faster than many: statements that travel together cost one system call and one wake-up. So:
   * the first that keeps up, whoever it serves, else a new one, else the least busy. What is slow gets an idle or new one
   * while there is one, and what is quick is not sent behind it.
   */
  function choose(isSlow: boolean): Reader {
    const now = performance.now()
    let least: Reader | undefined
    for (const reader of readers) {
      if (!isSlow && keepsUp(reader, now)) return reader
      if (!least || reader.sent.length < least.sent.length) least = reader
    }
    if (least && (least.sent.length === 0 || readers.length >= size || now < makeDoUntil)) return least
    return connect()
  }

  function connect(): Reader {
    if (closed) throw new Error('Connection terminated: the pool is closed')
    const config = clientConfig(to, sessions.reader.role)
    const client = new pg.Client({ ...config, pipeline: true, stream: heartbeat.stream })
    const ready = open(client)
    const reader: Reader = { client, sent: [], answeredAt: 0, slow: 0, ready }
    readers.push(reader)
    client.on('error', () => drop(reader))
    client.on('end', () => drop(reader))
    ready.catch(() => end(reader))
    return reader
  }

  async function open(client: pg.Client): Promise<void> {
    await client.connect().catch((error) => {
      throw isOutOfConnections(error) ? error : notConnected(error)
    })
    await heartbeat.verify(client, sessions.reader)
    await reads.prepare(client)
  }

  function giveBackIdle(): void {
    const idle = readers.filter((reader) => reader.sent.length === 0 && !reader.ready)
    for (const reader of idle.slice(idle.length === readers.length ? 1 : 0)) end(reader)
  }

  function end(reader: Reader): void {
    drop(reader)
    void reader.client.end().catch(() => {})
  }

  function drop(reader: Reader): void {
    const index = readers.indexOf(reader)
    if (index >= 0) readers.splice(index, 1)
  }

  async function close(): Promise<void> {
    closed = true
    await Promise.allSettled(readers.map((reader) => reader.client.end()))
  }

  return {
    query,
    close,
    count: () => readers.length,
    waiting: () => readers.reduce((sum, r) => sum + r.sent.length, 0),
    busy: () => readers.filter(({ sent }) => sent.length > 0).length,
    /** Statements that were sent behind another one on their connection. */
    queued: () => readers.reduce((sum, { sent }) => sum + Math.max(0, sent.length - 1), 0),
  }
}

function keepsUp(reader: Reader, now: number): boolean {
  const [oldest] = reader.sent
  return oldest === undefined || (reader.slow === 0 && reader.sent.length < mostUnderWay && now - oldest < slowMs)
}
