import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { createAllowedRequests } from './allowed-requests.ts'
import type { FirewallEvent } from './event.ts'
import { type Artifact, batchOf, type EventBatch } from './event-batch.ts'
import { type RefusedArtifact, writeBatch } from './event-store.ts'
import { createJournal } from './journal.ts'
import { claimSegment } from './journal-store.ts'
import { createRefusalFigures } from './refusal-figures.ts'
import { createRefusedRequests } from './refused-requests.ts'
import type { Segment } from './segment.ts'

export type RecorderOptions = {
  db: Database
  clock: Clock
  log: Logger
  dataFolder: string
  /** Told what clients were given, when that is counted. */
  whenCounted?: (tx: Transaction, given: Artifact[]) => Promise<void>
  /** Told what was refused for the first time in a day, in the transaction that records it. */
  whenRefused?: (tx: Transaction, refused: readonly RefusedArtifact[]) => Promise<void>
}

const flushMs = 1_000

/**
 * Writes down what is answered, before it is: refusals into the database, what is let through into a journal that outlives
 * the process and is counted in the database every second.
 */
export function createRecorder({ db, clock, log, dataFolder, whenCounted, whenRefused }: RecorderOptions) {
  const journal = createJournal(join(dataFolder, 'firewall-journal'))
  const refusals = createRefusedRequests(async (events) => write(events[0]!.deploymentId, await batchOf(events)))
  const figures = createRefusalFigures()
  const passes = createAllowedRequests({ journal, write, log })
  let flushing: Promise<void> | undefined
  const timer = setInterval(() => void (flushing ?? begin()), flushMs).unref()

  function record(event: FirewallEvent): Promise<void> {
    const timed = { ...event, at: clock.now() }
    if (event.refused) figures.count(event.refusal?.rule ?? 'unknown')
    return event.refused ? refusals.record(timed) : passes.record(timed)
  }

  function write(deploymentId: number, batch: EventBatch, segment?: Segment): Promise<void> {
    return db.transaction(systemActor(deploymentId, 'firewall'), async (tx) => {
      if (segment && !(await claimSegment(tx, segment))) return
      const refused = await writeBatch(tx, batch)
      await whenRefused?.(tx, refused)
      const given = new Set(batch.fetches.map(({ artifact }) => batch.artifacts[artifact]!))
      await whenCounted?.(tx, [...given])
    })
  }

  function begin(): Promise<void> {
    flushing = passes.flush().finally(() => {
      flushing = undefined
    })
    return flushing
  }

  /** Counts everything that was recorded before: what is under way may have begun without the latest of it. */
  async function flush(): Promise<void> {
    await flushing
    await (flushing ?? begin())
  }

  /** Nothing that was answered is left unwritten, if the database answers; else the next start finds it in the journal. */
  async function close(): Promise<void> {
    clearInterval(timer)
    await refusals.close()
    await flush()
    journal.close()
  }

  return { record, flush, close, figures: figures.gauges }
}
