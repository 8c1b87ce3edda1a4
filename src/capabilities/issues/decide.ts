import type { Transaction } from '../../kernel/database/database.ts'
import type { Decider } from './ingest/after-report.ts'
import * as counters from './search/count-store.ts'
import * as store from './store.ts'

export type Decision = { state: number; reason: number }

/** A decision on issues that are locked, with its activity and its counters. */
export async function decide(
  tx: Transaction,
  issues: readonly store.LockedIssue[],
  { state, reason }: Decision,
  decidedBy: Decider,
): Promise<void> {
  if (issues.length === 0) return
  await store.decide(
    tx,
    issues.map((issue) => issue.id),
    { state, reason, decidedBy },
  )
  counters.noteMoves(
    tx,
    issues.map((issue) => ({ from: issue, to: { ...issue, triage_state: state, triage_reason: reason } })),
  )
}
