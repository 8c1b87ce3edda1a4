import type { Logger } from 'pino'
import { systemActor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../kernel/database.ts'
import { Fault } from '../../kernel/fault.ts'
import type { FirewallEvent } from './event.ts'
import { batchOf, type TimedEvent } from './event-batch.ts'
import { writeBatch } from './event-store.ts'

type Waiting = { event: TimedEvent; done: () => void; failed: (error: unknown) => void }

const flushMs = 1_000
/** What was let through is only counted: while the database is away it is kept up to here, then forgotten. */
const mostPending = 200_000

/**
 * Writes down what was answered. Refusals share transactions: whoever comes while one is under way goes with the next, and
 * each waits for its own. What was let through is written once a second, without anybody waiting.
 */
export function createRecorder({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
  const refusals = new Map<number, Waiting[]>()
  const writing = new Map<number, Promise<void>>()
  let allowed: TimedEvent[] = []
  let flushing: Promise<void> | undefined
  let forgotten = 0
  const timer = setInterval(() => void flush(), flushMs).unref()

  function record(event: FirewallEvent): Promise<void> {
    const timed = { ...event, at: clock.now() }
    if (event.refused) return recordRefusal(timed)
    if (allowed.length < mostPending) allowed.push(timed)
    else forgotten++
    return Promise.resolve()
  }

  function recordRefusal(event: TimedEvent): Promise<void> {
    const { deploymentId } = event
    return new Promise((done, failed) => {
      const queue = refusals.get(deploymentId) ?? []
      refusals.set(deploymentId, queue)
      queue.push({ event, done, failed })
      if (writing.has(deploymentId)) return
      writing.set(
        deploymentId,
        writeRefusals(deploymentId).finally(() => writing.delete(deploymentId)),
      )
    })
  }

  async function writeRefusals(deploymentId: number): Promise<void> {
    for (let queue = refusals.get(deploymentId); queue; queue = refusals.get(deploymentId)) {
      refusals.delete(deploymentId)
      try {
        await write(queue.map(({ event }) => event))
        for (const { done } of queue) done()
      } catch (error) {
        for (const { failed } of queue) failed(error)
      }
    }
  }

  function write(events: TimedEvent[]): Promise<void> {
    const batch = batchOf(events)
    return db.transaction(systemActor(events[0]!.deploymentId, 'firewall'), (tx) => writeBatch(tx, batch))
  }

  function flush(): Promise<void> {
    flushing ??= flushAllowed().finally(() => {
      flushing = undefined
    })
    return flushing
  }

  async function flushAllowed(): Promise<void> {
    const events = allowed
    allowed = []
    if (forgotten > 0) log.error({ forgotten }, 'requests were let through and could not be counted')
    forgotten = 0
    for (const [deploymentId, batch] of Map.groupBy(events, (event) => event.deploymentId)) {
      try {
        await write(batch)
      } catch (error) {
        log.warn({ err: error, deploymentId, events: batch.length }, 'requests could not be counted yet')
        // What the database refuses it would refuse again.
        if (error instanceof Fault) allowed = [...batch, ...allowed].slice(0, mostPending)
      }
    }
  }

  /** Nothing that was answered is left unwritten, if the database answers. */
  async function close(): Promise<void> {
    clearInterval(timer)
    await Promise.all(writing.values())
    await flushing
    await flush()
  }

  return { record, flush, close }
}
