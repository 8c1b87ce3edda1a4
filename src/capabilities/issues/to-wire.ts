import { withVersion } from '../../kernel/contract/etag.ts'
import * as codes from './codes.ts'
import type { Activity } from './contract.ts'
import type { Issue } from './issue.ts'
import type { ActivityRow, IssueRow } from './store.ts'

export function toIssue(deploymentId: number, row: IssueRow): Issue {
  const issue = {
    id: String(row.id),
    deploymentId: String(deploymentId),
    title: row.title,
    createdAt: row.created_at.toISOString(),
    lastDetectedAt: row.last_detected_at.toISOString(),
    detectionState: row.detected ? ('DETECTION_STATE_DETECTED' as const) : ('DETECTION_STATE_NOT_DETECTED' as const),
    severity: codes.severity.name(row.severity),
    triageState: codes.state.name(row.triage_state),
    triageReason: codes.reason.name(row.triage_reason),
    triagedAt: row.triaged_at?.toISOString() ?? null,
    projectIds: row.repository_ids,
    ...row.content,
  }
  return withVersion(issue, row.version)
}

const deciders = { person: 'DECIDER_PERSON', automation: 'DECIDER_AUTOMATION' } as const

export function toActivity(row: ActivityRow): Activity {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    decidedBy: deciders[row.decided_by],
    personId: row.person_id,
    personName: row.person_name,
    tokenId: row.token_id,
    fromState: codes.state.name(row.from_state),
    fromReason: codes.reason.name(row.from_reason),
    toState: codes.state.name(row.to_state),
    toReason: codes.reason.name(row.to_reason),
  }
}
