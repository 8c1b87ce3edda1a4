import type { TriageState } from '../../../domain/triage.ts'

/** Who made the last decision about an issue. A report is an automation; whoever calls the triage operations a person. */
export type Decider = 'person' | 'automation'

export type IssueStatus = { state: TriageState; decidedBy: Decider | null; triagedAt: Date | null }
export type Sighting = { detected: boolean; at: Date }

/**
 * The state that a detector's report leads to, or undefined where it changes nothing.
 *
 * A person's decision is never overridden by an automation: what somebody ignored stays ignored, what somebody reviews
 * stays under review, seen or not seen. 'Fixed' is the one exception, because it states a fact: an issue that is seen
 * after it was called fixed is not, whoever said so. A report from before a person said so proves nothing. An automation
 * said so because of an earlier report, and reports are taken in their order, so any later one refutes it.
 */
export function stateAfterReport(current: IssueStatus, report: Sighting): TriageState | undefined {
  if (report.detected) {
    const proven = current.decidedBy !== 'person' || current.triagedAt === null || report.at >= current.triagedAt
    return current.state === 'TRIAGE_STATE_FIXED' && proven ? 'TRIAGE_STATE_REOPENED' : undefined
  }
  if (current.decidedBy === 'person' || current.state === 'TRIAGE_STATE_FIXED') return undefined
  return 'TRIAGE_STATE_FIXED'
}
