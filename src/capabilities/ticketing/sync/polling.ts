import sql from 'sql-template-tag'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import * as store from '../instances/store.ts'
import { commonLabel } from '../tickets/subjects.ts'
import type { Access } from '../tracker/access.ts'
import { TrackerError } from '../tracker/tracker-error.ts'
import { kinds, laneOf } from './job-kinds.ts'
import * as progress from './progress-store.ts'
import { enqueueDue } from './resume-unfinished.ts'

const minuteMs = 60_000
/** For what its search shows late, and for clocks that differ. */
const overlapMinutes = 10
const mostMinutes = 60 * 24 * 90

/** Notices what people do with tickets at the tracker. */
export function createPolling({ db, access, clock }: { db: Database; access: Access; clock: Clock }) {
  /** Once a minute: has every tracker asked whose last answer is there, or is overdue. */
  async function askAll(): Promise<void> {
    const due = await db.workerQuery<{ deployment_id: number; id: number }>(sql`select deployment_id, id
      from ticketing_instance where connected and auth_revoked_at is null
        and (poll_asked_at is null or polled_at >= poll_asked_at or poll_asked_at < now() - interval '10 minutes')`)
    for (const { deployment_id, id } of due) {
      await db.transaction(systemActor(deployment_id, 'ticketing.poll'), async (tx) => {
        await store.markPollAsked(tx, id, clock.now())
        await enqueue(tx, { kind: kinds.poll, payload: { instanceId: id }, lane: laneOf(id) })
      })
    }
  }

  async function poll(actor: Actor, instanceId: number): Promise<void> {
    const instance = await store.find(db.as(actor), instanceId)
    if (!instance || instance.authRevokedAt) return
    const start = clock.now()
    const minutes = instance.polledAt
      ? Math.ceil((start.getTime() - instance.polledAt.getTime()) / minuteMs)
      : mostMinutes
    const last = Math.min(mostMinutes, Math.max(0, minutes) + overlapMinutes)
    try {
      await access.using(actor, instance, async (tracker) => {
        for await (const issues of tracker.changed(commonLabel, last)) {
          await db.transaction(actor, (tx) => progress.markSeen(tx, instanceId, issues, clock.now()))
        }
      })
    } catch (error) {
      // A tracker that does not answer is asked again before long, whatever becomes of this.
      if (error instanceof TrackerError) return
      throw error
    }
    await db.transaction(actor, async (tx) => {
      await store.markPolled(tx, instanceId, start)
      await enqueueDue(tx)
    })
  }

  return { askAll, poll }
}
