import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'sql-template-tag'
import type { ReplicaUse } from '../../access/actor.ts'
import { Fault } from '../../contract/fault.ts'
import { shareCalls } from '../../threads/shared-call.ts'
import type { ConnectionOptions } from '../connections/connection.ts'
import { executeOnReplica, prepareReplica } from '../connections/prepared-query.ts'
import { createReadPool } from '../connections/read-pool.ts'
import { createReplicaWatch, type Primary, type ReplicaReason, ReplicaUnusable } from './replica-watch.ts'

/** What a request has asked for is believed for as long by itself: an export that takes minutes asks again. */
const positionMs = 1_000
/** How long is waited for what is on its way, in turns. It adds up to 63 ms. */
const pausesMs = [1, 2, 4, 8, 16, 32]
/** After waiting in vain. */
const restMs = 250
/** What `refuse_stale` raises (migration 0102). */
const staleCode = 'GH002'

/**
 * Reads that go to a replica as long as it has everything that was committed on the primary when they came: nobody can tell where
 * an answer is from. The primary is asked how far it is, one question for all who wait; the replica says with each statement
 * whether it has that.
 */
export function createReplica(to: ConnectionOptions, size: number, primary: Primary) {
  const position = shareCalls(primary.position)
  const watch = createReplicaWatch(to, { position, prove: shareCalls(primary.prove) })
  const pool = createReadPool<{ tenant: number; lsn: number }>(to, size, watch, {
    prepare: prepareReplica,
    execute: executeOnReplica,
    longestWaitMs: 0,
  })
  const reads = { replica: 0, primary: 0 }
  const fallbacks: Record<ReplicaReason | 'failed', number> = { behind: 0, lost: 0, refused: 0, failed: 0 }
  let restUntil = 0

  /** From the replica where it has what is needed, else from the primary; the rest of the request too, then. */
  async function query<Row>(
    use: ReplicaUse,
    tenant: number,
    statement: Sql,
    fromPrimary: () => Promise<Row[]>,
  ): Promise<Row[]> {
    if (!use.left) {
      try {
        const rows = await fromReplica<Row>(use, tenant, statement)
        reads.replica++
        return rows
      } catch (error) {
        // What takes too long here would take as long there.
        if (error instanceof Fault && error.code === 'timeout') throw error
        fallbacks[reasonOf(error)]++
        use.left = true
      }
    }
    reads.primary++
    return fromPrimary()
  }

  async function fromReplica<Row>(use: ReplicaUse, tenant: number, statement: Sql): Promise<Row[]> {
    watch.check()
    if (performance.now() < restUntil) throw new ReplicaUnusable('behind', 'it is behind')
    const { lsn, timeline } = await positionFor(use)
    const server = watch.serverOn(timeline)
    use.server ??= server
    if (use.server !== server) throw new ReplicaUnusable('lost', 'the server that the request began on is gone')
    for (const pauseMs of pausesMs) {
      try {
        return await pool.query<Row>({ tenant, lsn }, statement)
      } catch (error) {
        if (!isStale(error)) throw error
      }
      await delay(pauseMs)
    }
    restUntil = performance.now() + restMs
    throw new ReplicaUnusable('behind', 'it is behind')
  }

  function positionFor(use: ReplicaUse): ReturnType<Primary['position']> {
    const now = performance.now()
    if (!use.position || now - use.askedAt! > positionMs) {
      use.position = position()
      use.askedAt = now
    }
    return use.position
  }

  async function close(): Promise<void> {
    await Promise.all([pool.close(), watch.close()])
  }

  const load = () => ({ size, open: pool.count(), busy: pool.busy(), waiting: pool.queued() })

  return {
    query,
    close,
    load,
    cut: watch.cut,
    state: watch.state,
    onChange: watch.onChange,
    lookedAt: watch.lookedAt,
    figures: () => ({ reads, fallbacks }),
  }
}

function isStale(error: unknown): boolean {
  return (error as { code?: string }).code === staleCode
}

function reasonOf(error: unknown): ReplicaReason | 'failed' {
  if (error instanceof ReplicaUnusable) return error.reason
  return error instanceof Fault && error.code === 'unavailable' ? 'lost' : 'failed'
}
