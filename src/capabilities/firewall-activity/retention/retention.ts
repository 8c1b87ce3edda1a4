import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { eachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { startOf } from '../reports/split-period.ts'
import * as store from './retention-store.ts'

export type RetentionOptions = {
  db: Database
  clock: Clock
  detailDays: number
  /** How long it is known who was refused something. */
  refusedDays: number
  fetchesAtOnce?: number
}

const everySeconds = 3_600
const dayMs = 86_400_000
/** In one go: who lowers the setting has it done over some hours. */
const mostDays = 30
/** Of what clients were given, in one transaction, and this many of them in one go. */
const usualFetchesAtOnce = 10_000
const mostBatches = 30

/**
 * What was refused and let through is kept to the millisecond for this many days, and by the day from then on: a busy company
 * does not grow for ever. Reports are told first and days folded an hour later, so that none reads a day half folded.
 */
export function createRetention({
  db,
  clock,
  detailDays,
  refusedDays,
  fetchesAtOnce = usualFetchesAtOnce,
}: RetentionOptions): Periodic {
  async function applyRetention(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'firewall-ageing')
    const known = await store.keptByDayBefore(db.as(actor))
    if (known) {
      await fold(deploymentId, known)
      await forgetFetches(deploymentId, known)
    }
    const mark = startOf('d', new Date(clock.now().getTime() - detailDays * dayMs))
    if (!known || known < mark) await db.transaction(actor, (tx) => store.keepByDayBefore(tx, mark))
    const unknown = startOf('d', new Date(clock.now().getTime() - refusedDays * dayMs))
    for (let days = 0; days < mostDays; days++) {
      if (!(await db.transaction(actor, (tx) => store.forgetRefused(tx, unknown)))) return
    }
  }

  async function fold(deploymentId: number, before: Date): Promise<void> {
    const actor = systemActor(deploymentId, 'firewall-ageing')
    for (let days = 0; days < mostDays; days++) {
      const first = await store.firstDetail(db.as(actor), before)
      if (!first) return
      await db.transaction(actor, (tx) => store.foldDay(tx, startOf('d', first)))
    }
  }

  async function forgetFetches(deploymentId: number, before: Date): Promise<void> {
    const actor = systemActor(deploymentId, 'firewall-ageing')
    for (let batches = 0; batches < mostBatches; batches++) {
      if (!(await db.transaction(actor, (tx) => store.forgetFetches(tx, before, fetchesAtOnce)))) return
    }
  }

  return {
    // The database has the lease of this task under this name, and the release before asks for it by the same.
    name: 'firewall.ageing',
    everySeconds,
    run: () => eachDeployment(db, applyRetention),
  }
}
