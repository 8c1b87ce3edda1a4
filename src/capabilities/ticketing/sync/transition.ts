import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { Permanent, Transient } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import * as store from '../instances/store.ts'
import * as tickets from '../tickets/ticket-store.ts'
import type { Access } from '../tracker/access.ts'
import type { Tracker } from '../tracker/tracker.ts'
import { TrackerError } from '../tracker/tracker-error.ts'
import * as progress from './progress-store.ts'

type TransitionResult = { outcome: 'none' | 'fired' | 'failed'; detail: string }

/** Tells the tracker that everything a ticket is about is fixed. Doing so twice is the same as once. */
export function createTransition({ db, access, clock }: { db: Database; access: Access; clock: Clock }) {
  async function fire(actor: Actor, ticketId: number): Promise<void> {
    const ticket = await tickets.find(db.as(actor), actor, ticketId)
    if (ticket?.transition !== 'due') return
    const instance = await store.find(db.as(actor), ticket.instanceId)
    if (!instance?.fixedTransitionId || !(await tickets.isAllFixed(db.as(actor), ticketId))) {
      return settle(actor, ticketId, { outcome: 'none', detail: '' })
    }
    // It is tried again once the tracker takes them, or others.
    if (instance.authRevokedAt) throw new Permanent('The tracker refuses the credentials.')
    try {
      const outcome = await access.using(actor, instance, async (tracker) => {
        const told = await tell(tracker, ticket.key, instance.fixedTransitionId)
        const now = await tracker.issue(ticket.key)
        await db.transaction(actor, (tx) => progress.markSeen(tx, instance.id, [now], clock.now()))
        return told
      })
      await settle(actor, ticketId, outcome)
    } catch (error) {
      if (!(error instanceof TrackerError)) throw error
      if (error.isPassing) throw new Transient(error.message, error.retryAfterSeconds)
      if (error.reason !== 'unauthorized') await settle(actor, ticketId, { outcome: 'failed', detail: error.message })
      throw new Permanent(error.message)
    }
  }

  function settle(actor: Actor, ticketId: number, outcome: TransitionResult): Promise<void> {
    return db.transaction(actor, async (tx) => {
      await progress.markTransition(tx, ticketId, outcome)
      const { detail } = outcome
      if (outcome.outcome === 'none') return
      tx.audit({ action: `ticket.transition-${outcome.outcome}`, target: `ticket:${ticketId}`, detail: { detail } })
    })
  }

  return { fire }
}

async function tell(tracker: Tracker, key: string, transitionId: string): Promise<TransitionResult> {
  const { status } = await tracker.issue(key)
  const fired: TransitionResult = { outcome: 'fired', detail: '' }
  if (status.isDone) return fired
  const wanted = (await tracker.offered(key)).find(({ id }) => id === transitionId)
  if (!wanted) {
    const detail = `The transition '${transitionId}' is not offered for a ticket that is '${status.name}'.`
    return { outcome: 'failed', detail }
  }
  if (wanted.toStatusId !== status.id) await tracker.fire(key, transitionId)
  return fired
}
