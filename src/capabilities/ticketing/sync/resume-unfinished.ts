import type { Transaction } from '../../../kernel/database/database.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import * as tickets from '../tickets/ticket-store.ts'
import { kinds, laneOf } from './job-kinds.ts'
import * as progress from './progress-store.ts'

/** Has the tracker told about every ticket whose findings and issues are all fixed by now. */
export async function enqueueDue(tx: Transaction): Promise<void> {
  await tickets.rearm(tx)
  const due = await tickets.markDue(tx)
  await enqueueMany(
    tx,
    due.map(({ id, instanceId }) => ({ kind: kinds.transition, payload: { ticketId: id }, lane: laneOf(instanceId) })),
  )
}

/** What waited for the tracker to let us in. */
export async function resume(tx: Transaction, instanceId: number): Promise<void> {
  const waiting = await progress.unfinished(tx, instanceId)
  await enqueueMany(
    tx,
    waiting.map(({ id, isCreating }) => ({
      kind: isCreating ? kinds.create : kinds.transition,
      payload: { ticketId: id },
      lane: laneOf(instanceId),
    })),
  )
}
