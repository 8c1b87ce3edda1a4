import { withVersion } from '../../kernel/contract/etag.ts'
import type { RunRow } from './actions/run-store.ts'
import type { Automation } from './automation.ts'
import type { AutomationRun } from './contract.ts'
import type { AutomationRow } from './store.ts'

export function toAutomation({ version, ...row }: AutomationRow): Automation {
  return withVersion(
    {
      ...row,
      id: String(row.id),
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      internalOnly: false,
      actions: row.actions.map(({ id, type, config }) => ({ type, config, id: String(id) })),
    },
    version,
  )
}

export function toRun(row: RunRow): AutomationRun {
  return {
    id: String(row.id),
    actionId: String(row.action_id),
    actionType: row.action_type,
    status: statusOf(row),
    triggerSource: row.trigger_source,
    repositoryId: String(row.repository_id),
    repositoryName: row.repository_name ?? '',
    ref: row.ref,
    scanId: String(row.scan_id),
    subjectCount: row.subject_count,
    subjects: row.subjects,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    attempts: row.attempts ?? row.attempt ?? (row.finished_at ? 1 : 0),
    error: row.finished_at ? '' : (row.error ?? ''),
    deadLetterId: row.dead_letter === null ? '' : String(row.dead_letter),
  }
}

/** A dead letter that was thrown away leaves a job that neither ended nor is there. */
function statusOf({ finished_at, dead_letter, attempt }: RunRow): AutomationRun['status'] {
  if (finished_at) return 'RUN_STATUS_DONE'
  return dead_letter !== null || attempt === null ? 'RUN_STATUS_DEAD' : 'RUN_STATUS_PENDING'
}
