import type { Socket } from 'node:net'
import { Pool } from 'undici'

export type PoolOptions = { connectionsPerPool: number; maxPools: number }

/**
 * Kept-open connections, by a key that says everything that was checked before they were made: the origin and the very
 * addresses it may be dialled at. A name that leads elsewhere now has another key, and gets none of the old connections.
 */
export function createPools({ connectionsPerPool, maxPools }: PoolOptions) {
  const pools = new Map<string, Pool>()

  function get(key: string, origin: string, connect: () => Promise<Socket>): Pool {
    const pool = pools.get(key) ?? open(origin, connect)
    pools.delete(key)
    pools.set(key, pool)
    if (pools.size > maxPools) drop(pools.keys().next().value!)
    return pool
  }

  function open(origin: string, connect: () => Promise<Socket>): Pool {
    return new Pool(origin, {
      connections: connectionsPerPool,
      connect: (_options, callback) => {
        connect().then(
          (socket) => callback(null, socket),
          (error) => callback(error, null),
        )
      },
    })
  }

  /** Lets requests under way come to their end. */
  function drop(key: string): void {
    const pool = pools.get(key)
    pools.delete(key)
    pool?.close().catch(() => {})
  }

  async function close(): Promise<void> {
    const all = [...pools.values()]
    pools.clear()
    await Promise.all(all.map((pool) => pool.destroy()))
  }

  return { get, close }
}
