import { systemActor } from '../../../../kernel/access/actor.ts'
import type { Database, Queryable } from '../../../../kernel/database/database.ts'
import { inEachDeployment } from '../../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../../kernel/jobs/job.ts'
import type { Clock } from '../../../../kernel/time/clock.ts'
import { startOf, startOfNext } from '../../reports/split-period.ts'
import { keptByDayBefore } from '../../retention/retention-store.ts'
import { addUpSpan, forgetSpans, type Span, staleStarts } from './span-store.ts'
import type { SpanGrain } from './spans.ts'

type RollupOptions = { db: Database; clock: Clock; mostSpans?: number }

const everySeconds = 30
/** Of a deployment in one go: after an upgrade there may be years of them. */
const usualMostSpans = 500
/** What was refused in the last moment of a span is recorded by then, nearly always; else it is added up again. */
const settledMs = 60_000

const finer = { m: 'd', d: 'h' } as const

/** Adds up the refusals of each hour, day and month that is over, once, so that whoever searches them need not read each. */
export function createRefusalRollup({ db, clock, mostSpans = usualMostSpans }: RollupOptions): Periodic {
  async function addUp(deploymentId: number): Promise<boolean> {
    const actor = systemActor(deploymentId, 'refusal-rollup')
    const keptSince = (await keptByDayBefore(db.as(actor))) ?? new Date(0)
    await db.transaction(actor, (tx) => forgetSpans(tx, new Date(0), keptSince))
    const until = new Date(clock.now().getTime() - settledMs)
    let left = mostSpans
    for await (const span of staleSpans(db.as(actor), 'm', startOf('m', keptSince), until)) {
      if (span.start < keptSince || span.until > until) continue
      await db.transaction(actor, (tx) => addUpSpan(tx, span))
      if (--left === 0) return true
    }
    return left < mostSpans
  }

  return { name: 'firewall.refusal-rollup', everySeconds, run: inEachDeployment(db, addUp) }
}

/** Each after those that are in it. Where a month tells what there is, so do its days. */
async function* staleSpans(db: Queryable, grain: SpanGrain, since: Date, until: Date): AsyncGenerator<Span> {
  for (const start of await staleStarts(db, grain, since, until)) {
    const end = startOfNext(grain, start)
    if (grain !== 'h') yield* staleSpans(db, finer[grain], start, end < until ? end : until)
    yield { grain, start, until: end }
  }
}
