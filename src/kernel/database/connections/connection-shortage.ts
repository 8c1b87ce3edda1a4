import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { isOutOfConnections } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'

const pauseMs = 100
/** How long a pool makes do with what it has before it asks for more again. */
const restMs = 2_000

/** The sizes that pools have by themselves, of those that make do with less. */
const fullSizes = new WeakMap<pg.Pool, number>()

/** How many wait for a connection of each pool. */
const waiting = new WeakMap<pg.Pool, number>()

/** A connection of the pool. Where the server has no more to give, it waits for one of those there are. */
export async function acquire(
  pool: pg.Pool,
  heartbeat: Pick<Heartbeat, 'noteShortage'>,
  longestWaitMs: number,
): Promise<pg.PoolClient> {
  waiting.set(pool, waitingFor(pool) + 1)
  try {
    return await connect(pool, heartbeat, longestWaitMs)
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
): Promise<pg.PoolClient> {
  const deadline = Date.now() + longestWaitMs
  for (;;) {
    try {
      return await pool.connect()
    } catch (error) {
      const isShort = isOutOfConnections(error) || fullSizes.has(pool)
      if (!isShort || Date.now() >= deadline) throw error
      if (isOutOfConnections(error)) makeDo(pool)
      if (pool.totalCount === 0) noteShortage()
      await delay(pauseMs)
    }
  }
}

/** With a smaller size, pg lets who comes wait for a connection that is given back instead of making one. */
function makeDo(pool: pg.Pool): void {
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
