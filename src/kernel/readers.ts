import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { type ConnectionOptions, clientConfig, prepared, roleNames, setTenant, translate } from './connection.ts'

type Reader = { client: pg.Client; tenant: number; waiting: number; ready: Promise<unknown> }

/**
 * Connections for reads outside transactions. Each remembers the tenant it is set to, and several requests share one
 * by pipelining: a statement is sent while earlier ones are still being answered, in order, each with its own Sync.
 * They are read-only for PostgreSQL too.
 */
export function createReaders(to: ConnectionOptions, size: number) {
  const readers: Reader[] = []
  let closed = false

  async function query<Row>(deploymentId: number, statement: Sql): Promise<Row[]> {
    const reader = choose(deploymentId)
    reader.waiting++
    try {
      await reader.ready
      if (reader.tenant !== deploymentId) switchTenant(reader, deploymentId)
      const result = await reader.client.query(prepared(statement))
      return result.rows as Row[]
    } catch (error) {
      throw translate(error)
    } finally {
      reader.waiting--
    }
  }

  /** An idle connection of the same tenant, else a new one while there may be more, else the least busy. */
  function choose(deploymentId: number): Reader {
    let best: Reader | undefined
    for (const reader of readers) {
      if (best && cost(reader, deploymentId) >= cost(best, deploymentId)) continue
      best = reader
    }
    if (best && (best.waiting === 0 || readers.length >= size)) return best
    return connect()
  }

  function connect(): Reader {
    if (closed) throw new Error('Connection terminated: the pool is closed')
    const config = clientConfig(to, roleNames.tenant, ['default_transaction_read_only=on'])
    const client = new pg.Client({ ...config, pipeline: true })
    const reader: Reader = { client, tenant: 0, waiting: 0, ready: client.connect() }
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

  return { query, close, count: () => readers.length, waiting: () => readers.reduce((sum, r) => sum + r.waiting, 0) }
}

function cost(reader: Reader, deploymentId: number): number {
  return reader.waiting * 2 + (reader.tenant === deploymentId ? 0 : 1)
}
