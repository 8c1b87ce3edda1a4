import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { isOutOfConnections, notConnected } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'

const pauseMs = 100
/** How long a pool makes do with what it has before it asks for more again. */
const usualRestMs = 2_000

/** The sizes that pools have by themselves, of those that make do with less. */
const fullSizes = new WeakMap<pg.Pool, number>()

/** How many wait for a connection of each pool. */
const waiting = new WeakMap<pg.Pool, number>()

/** A connection of the pool. Where the server has no more to give, it waits for one of those there are. */
export async function acquire(
  pool: pg.Pool,
  heartbeat: Pick<Heartbeat, 'noteShortage'>,
  longestWaitMs: number,
  restMs = usualRestMs,
): Promise<pg.PoolClient> {
  waiting.set(pool, waitingFor(pool) + 1)
  try {
    return await connect(pool, heartbeat, longestWaitMs, restMs)
  } finally {
    waiting.set(pool, waitingFor(pool) - 1)
  }
}

export function waitingFor(pool: pg.Pool): number {
  return waiting.get(pool) ?? 0
}

async function connect(
  pool: pg.Pool,
  { noteShortage }: Pick<Heartbeat, 'noteShortage'>,
  longestWaitMs: number,
  restMs: number,
): Promise<pg.PoolClient> {
  const deadline = Date.now() + longestWaitMs
  for (;;) {
    // The pool may have its own size again when it gives up whoever waits for one of those there are.
    const waits = fullSizes.has(pool)
    try {
      return await pool.connect()
    } catch (error) {
      const isShort = isOutOfConnections(error) || fullSizes.has(pool) || (waits && isQueueTimeout(error))
      if (!isShort || Date.now() >= deadline) throw notConnected(error)
      if (isOutOfConnections(error)) makeDo(pool, restMs)
      if (pool.totalCount === 0) noteShortage()
      await delay(pauseMs)
    }
  }
}

/** Of pg-pool, for a connection that was not given back in time. */
function isQueueTimeout(error: unknown): boolean {
  return (error as Error).message === 'timeout exceeded when trying to connect'
}

/** With a smaller size, pg lets who comes wait for a connection that is given back instead of making one. */
function makeDo(pool: pg.Pool, restMs: number): void {
  const full = fullSizes.get(pool) ?? pool.options.max
  pool.options.max = Math.max(1, pool.totalCount)
  if (fullSizes.has(pool)) return
  fullSizes.set(pool, full)
  setTimeout(() => {
    fullSizes.delete(pool)
    pool.options.max = full
  }, restMs).unref()
}

/** Ends all but one of those that nobody uses. An idle one is what the pool hands out first. */
export function giveBackIdle(pool: pg.Pool): void {
  const most = Math.min(pool.idleCount, pool.totalCount - 1)
  for (let n = 0; n < most; n++) {
    // Where somebody else was faster there is none to end.
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    )
  }
}
