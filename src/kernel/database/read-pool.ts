import type { Socket } from 'node:net'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { execute, prepareTenants } from '../prepared-query.ts'
import { type ConnectionOptions, clientConfig, translate } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'
import { sessions } from './session-pooling.ts'

type Reader = {
  client: pg.Client
  /** Whom it served last. */
  tenant: number
  /** When each statement under way was sent, oldest first; answers come in the same order. */
  sent: number[]
  ready: Promise<unknown> | undefined
}

/** A connection whose oldest statement is under way for longer than this is not given more: it would hold them up. */
const slowMs = 5
const mostUnderWay = 32

/**
 * Connections for reads outside transactions. Several requests share one by pipelining: a statement is sent while earlier
 * ones are still being answered, in order, each with its own Sync and its own tenant. They are read-only for PostgreSQL too.
 */
export function createReadPool(to: ConnectionOptions, size: number, pulse: Heartbeat) {
  const readers: Reader[] = []
  let closed = false

  async function query<Row>(deploymentId: number, statement: Sql): Promise<Row[]> {
    pulse.check()
    const reader = choose(deploymentId)
    try {
      if (reader.ready) await reader.ready
      return await send<Row>(reader, deploymentId, statement)
    } catch (error) {
      throw translate(error)
    }
  }

  async function send<Row>(reader: Reader, deploymentId: number, statement: Sql): Promise<Row[]> {
    reader.ready = undefined
    reader.tenant = deploymentId
    reader.sent.push(performance.now())
    try {
      collectWrites(reader)
      return await execute<Row>(reader.client, statement, deploymentId)
    } finally {
      reader.sent.shift()
    }
  }

  /**
   * Few busy connections are faster than many: statements that travel together cost one system call and one wake-up.
   * So: one of the same tenant that keeps up, else an idle or new one, else the least busy.
   */
  function choose(deploymentId: number): Reader {
    const now = performance.now()
    let least: Reader | undefined
    for (const reader of readers) {
      if (reader.tenant === deploymentId && keepsUp(reader, now)) return reader
      if (!least || reader.sent.length < least.sent.length) least = reader
    }
    if (least && (least.sent.length === 0 || readers.length >= size)) return least
    return connect()
  }

  function connect(): Reader {
    if (closed) throw new Error('Connection terminated: the pool is closed')
    const config = clientConfig(to, sessions.reader.role)
    const client = new pg.Client({ ...config, pipeline: true, stream: pulse.stream })
    const ready = open(client)
    const reader: Reader = { client, tenant: 0, sent: [], ready }
    readers.push(reader)
    client.on('error', () => drop(reader))
    client.on('end', () => drop(reader))
    ready.catch(() => {
      drop(reader)
      void client.end().catch(() => {})
    })
    return reader
  }

  async function open(client: pg.Client): Promise<void> {
    await client.connect()
    await pulse.verify(client, sessions.reader)
    await prepareTenants(client)
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
  }
}

function keepsUp(reader: Reader, now: number): boolean {
  const [oldest] = reader.sent
  return oldest === undefined || (reader.sent.length < mostUnderWay && now - oldest < slowMs)
}

/** What is sent during one turn of the event loop leaves in one write. */
function collectWrites(reader: Reader): void {
  const { stream } = (reader.client as unknown as { connection: { stream: Socket } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
