import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { execute } from '../prepared-query.ts'
import { createSemaphore } from '../threads/semaphore.ts'
import { type ConnectionOptions, clientConfig, translate } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { Session } from './secure-session.ts'

type Statements = { query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> }

/** Connections as one role that is bound to no tenant: what it sees, its policies say. */
export function createRolePool(
  to: ConnectionOptions,
  session: Session,
  options: { size: number; heartbeat: Heartbeat; longestWaitMs: number },
) {
  const { size, heartbeat, longestWaitMs } = options
  const pool = createPool(to, session, heartbeat, { max: size })
  // In front of the pool, which gives who waits no longer than a connection may take to be made.
  const turns = createSemaphore(size, longestWaitMs)

  function transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    return turns.run(() => attempt(work))
  }

  async function attempt<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    heartbeat.check()
    const client = await pool.connect().catch((error) => {
      throw translate(error)
    })
    let broken: Error | undefined
    try {
      await client.query('begin')
      const result = await work({ query: <Row>(s: Sql) => execute<Row>(client, s) })
      await client.query('commit')
      return result
    } catch (error) {
      broken = await rollback(client)
      throw translate(error)
    } finally {
      client.release(broken)
    }
  }

  /** One statement of its own, without a transaction around it. */
  async function query<Row>(statement: Sql): Promise<Row[]> {
    try {
      return await turns.run(async () => {
        heartbeat.check()
        return await single<Row>(statement)
      })
    } catch (error) {
      throw translate(error)
    }
  }

  async function single<Row>(statement: Sql): Promise<Row[]> {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      return await execute<Row>(client, statement)
    } catch (error) {
      broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  return { transaction, query, end: () => pool.end() }
}

/**
 * Every connection is verified before its first use. One that breaks is dropped by the pool, and whoever uses it is told by
 * their query: there is no third to tell.
 */
export function createPool(
  to: ConnectionOptions,
  session: Session,
  heartbeat: Heartbeat,
  more: pg.PoolConfig,
): pg.Pool {
  const config = { ...clientConfig(to, session.role), stream: heartbeat.stream, idleTimeoutMillis: 60_000, ...more }
  const pool = new pg.Pool({ ...config, onConnect: (client) => heartbeat.verify(client, session) })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** Answers with what a connection is broken by that cannot even take back. */
export function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  return client.query('rollback').then(
    () => undefined,
    (failure: Error) => failure,
  )
}
