import type { Socket } from 'node:net'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { type ConnectionOptions, clientConfig, prepared, roleNames, setTenant, translate } from './connection.ts'
import type { Pulse } from './pulse.ts'

type Reader = {
  client: pg.Client
  tenant: number
  /** When each statement under way was sent, oldest first; answers come in the same order. */
  sent: number[]
  ready: Promise<unknown>
  corked: boolean
}

/** A connection whose oldest statement is under way for longer than this is not given more: it would hold them up. */
const slowMs = 5
const mostUnderWay = 32

/**
 * Connections for reads outside transactions. Each remembers the tenant it is set to, and several requests share one
 * by pipelining: a statement is sent while earlier ones are still being answered, in order, each with its own Sync.
 * They are read-only for PostgreSQL too.
 */
export function createReaders(to: ConnectionOptions, size: number, pulse: Pulse) {
  const readers: Reader[] = []
  let closed = false

  async function query<Row>(deploymentId: number, statement: Sql): Promise<Row[]> {
    pulse.check()
    const reader = choose(deploymentId)
    reader.sent.push(performance.now())
    try {
      await reader.ready
      collectWrites(reader)
      if (reader.tenant !== deploymentId) switchTenant(reader, deploymentId)
      const result = await reader.client.query(prepared(statement))
      return result.rows as Row[]
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
    const config = clientConfig(to, roleNames.tenant, ['default_transaction_read_only=on'])
    const client = new pg.Client({ ...config, pipeline: true, stream: pulse.stream })
    const reader: Reader = { client, tenant: 0, sent: [], ready: client.connect(), corked: false }
    readers.push(reader)
    const drop = () => {
      const index = readers.indexOf(reader)
      if (index >= 0) readers.splice(index, 1)
    }
    client.on('error', drop)
    client.on('end', drop)
    reader.ready.catch(drop)
    return reader
  }

  /** Sent ahead of the statement on the same connection; a failure here means the connection is lost, and drops it. */
  function switchTenant(reader: Reader, deploymentId: number): void {
    reader.tenant = deploymentId
    const statement = { name: 'set-tenant', text: setTenant, values: [String(deploymentId)] }
    reader.client.query(statement).catch(() => void reader.client.end())
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
  if (reader.corked) return
  const stream = (reader.client as unknown as { connection: { stream: Socket } }).connection.stream
  reader.corked = true
  stream.cork()
  setImmediate(() => {
    reader.corked = false
    stream.uncork()
  })
}
