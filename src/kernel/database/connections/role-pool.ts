import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { createSemaphore } from '../../threads/semaphore.ts'
import { traced } from '../../tracing/tracing.ts'
import { executeTraced, statementSpan, transactionSpan } from '../database-spans.ts'
import { retryDeadlocks } from '../deadlock-retry.ts'
import { enterFence } from '../migrations/version-fence.ts'
import { type ConnectionOptions, clientConfig, isConnectionLoss, translate } from './connection.ts'
import { acquire, giveBackIdle, waitingFor } from './connection-shortage.ts'
import type { Heartbeat } from './heartbeat.ts'
import { executeFenced, prepareFence } from './prepared-query.ts'
import type { Session } from './secure-session.ts'
import { nameSessionNow } from './session-name.ts'

type Statements = { query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> }

/** Connections as one role that is bound to no tenant: what it sees, its policies say. */
export function createRolePool(
  to: ConnectionOptions,
  session: Session,
  options: { size: number; heartbeat: Heartbeat; longestWaitMs: number },
) {
  const { size, heartbeat, longestWaitMs } = options
  const pool = createPool(to, session, heartbeat, { max: size }, prepareFence)
  // In front of the pool, which gives who waits no longer than a connection may take to be made.
  const turns = createSemaphore(size, longestWaitMs)

  /** Runs `work` in one transaction. It may run more than once (deadlocks are retried), so it does no I/O but SQL. */
  function transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    return traced(transactionSpan, () => retryDeadlocks(() => turns.run(() => attempt(work))))
  }

  async function attempt<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    heartbeat.check()
    const client = await acquire(pool, heartbeat, longestWaitMs)
    let broken: Error | undefined
    try {
      await client.query(`begin; ${enterFence}${nameSessionNow()}`)
      const result = await work({ query: <Row>(s: Sql) => executeTraced<Row>(client, s) })
      await client.query('commit')
      return result
    } catch (error) {
      broken = await rollback(client, error)
      throw translate(error)
    } finally {
      client.release(broken)
    }
  }

  /** One statement of its own, without a transaction around it. */
  async function query<Row>(statement: Sql): Promise<Row[]> {
    try {
      const work = async () => {
        heartbeat.check()
        return await single<Row>(statement)
      }
      return await traced(statementSpan(statement), () => turns.run(work))
    } catch (error) {
      throw translate(error)
    }
  }

  async function single<Row>(statement: Sql): Promise<Row[]> {
    const client = await acquire(pool, heartbeat, longestWaitMs)
    let broken: Error | undefined
    try {
      return await executeFenced<Row>(client, statement)
    } catch (error) {
      broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  const load = () => ({
    size,
    open: pool.totalCount,
    busy: pool.totalCount - pool.idleCount,
    waiting: turns.waiting() + waitingFor(pool),
  })

  return { transaction, query, load, end: () => pool.end() }
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
  prepare: (client: pg.ClientBase) => Promise<void> = async () => {},
): pg.Pool {
  const config = { ...clientConfig(to, session.role), stream: heartbeat.stream, idleTimeoutMillis: 10_000, ...more }
  const onConnect = async (client: pg.ClientBase) => {
    await heartbeat.verify(client, session)
    await prepare(client)
  }
  const pool = new pg.Pool({ ...config, onConnect })
  heartbeat.onShortage(() => giveBackIdle(pool))
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** Answers with what a connection is broken by: one that cannot even take back, or whose server is no longer the one. */
export function rollback(client: pg.PoolClient, cause: unknown): Promise<Error | undefined> {
  return client.query('rollback').then(
    () => (isConnectionLoss(cause) ? (cause as Error) : undefined),
    (failure: Error) => failure,
  )
}
