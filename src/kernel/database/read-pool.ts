import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { type ConnectionOptions, clientConfig, type Prepared, prepared, setTenant, translate } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'
import { sessions } from './session-pooling.ts'

type Reader = {
  client: pg.Client
  tenant: number
  /** The change to that tenant, until PostgreSQL has confirmed it. */
  switching: Promise<unknown> | undefined
  /** When each statement under way was sent, oldest first; answers come in the same order. */
  sent: number[]
  ready: Promise<unknown> | undefined
  /** What waits for the end of this turn of the event loop to be sent. */
  unsent: Unsent[]
}

type Unsent = { deploymentId: number; statement: Prepared; answer: Promise<unknown[]> }

/** A connection whose oldest statement is under way for longer than this is not given more: it would hold them up. */
const slowMs = 5
const mostUnderWay = 32
const mostCompared = 8

/**
 * Connections for reads outside transactions. Each remembers the tenant it is set to, and several requests share one
 * by pipelining: a statement is sent while earlier ones are still being answered, in order, each with its own Sync.
 * They are read-only for PostgreSQL too.
 *
 * The same statement for the same tenant that is asked for several times before it has been sent is sent once: every one
 * of those who asked did so before it began, so its answer is as fresh as each could expect.
 */
export function createReadPool(to: ConnectionOptions, size: number, pulse: Heartbeat) {
  const readers: Reader[] = []
  let closed = false

  async function query<Row>(deploymentId: number, statement: Sql): Promise<Row[]> {
    pulse.check()
    const reader = choose(deploymentId)
    if (reader.ready) await connected(reader)
    const ready = prepared(statement)
    const same = reader.unsent.find((each) => each.deploymentId === deploymentId && isSame(each.statement, ready))
    if (same) return (await same.answer).slice() as Row[]
    const answer = send(reader, deploymentId, ready)
    if (reader.unsent.length < mostCompared) reader.unsent.push({ deploymentId, statement: ready, answer })
    return (await answer) as Row[]
  }

  async function connected(reader: Reader): Promise<void> {
    try {
      await reader.ready
      reader.ready = undefined
    } catch (error) {
      throw translate(error)
    }
  }

  async function send(reader: Reader, deploymentId: number, statement: Prepared): Promise<unknown[]> {
    reader.sent.push(performance.now())
    try {
      collectWrites(reader)
      if (reader.tenant !== deploymentId) switchTenant(reader, deploymentId)
      const { switching } = reader
      const answer = reader.client.query(statement)
      // What travels behind a change of tenant that failed was answered for another tenant: it does not count.
      const [result] = switching ? await Promise.all([answer, switching]) : [await answer]
      return result.rows
    } catch (error) {
      throw translate(error)
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
    const ready = client.connect().then(() => pulse.verify(client, sessions.reader))
    const reader: Reader = { client, tenant: 0, switching: undefined, sent: [], ready, unsent: [] }
    readers.push(reader)
    client.on('error', () => drop(reader))
    client.on('end', () => drop(reader))
    ready.catch(() => {
      drop(reader)
      void client.end().catch(() => {})
    })
    return reader
  }

  /** Sent ahead of the statement on the same connection. One that cannot be set is the end of the connection. */
  function switchTenant(reader: Reader, deploymentId: number): void {
    reader.tenant = deploymentId
    const statement = { name: 'set-tenant', text: setTenant, values: [String(deploymentId)] }
    const switching = reader.client.query(statement)
    reader.switching = switching
    switching.then(
      () => {
        if (reader.switching === switching) reader.switching = undefined
      },
      () => {
        drop(reader)
        void reader.client.end()
      },
    )
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

function isSame(a: Prepared, b: Prepared): boolean {
  return a.name === b.name && isDeepStrictEqual(a.values, b.values)
}

/** What is sent during one turn of the event loop leaves in one write; from then on nobody shares it. */
function collectWrites(reader: Reader): void {
  const { stream } = (reader.client as unknown as { connection: { stream: Socket } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => {
    reader.unsent.length = 0
    stream.uncork()
  })
}
