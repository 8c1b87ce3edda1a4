import sql from 'sql-template-tag'
import type { TriageReason, TriageState } from '../../domain/triage.ts'
import type { Subject, TriageByAutomation, TriggerEvent, TriggerRepository } from '../../domain/trigger-event.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { tagNames } from '../repositories/public.ts'
import * as codes from './codes.ts'
import { decide } from './decide.ts'
import { matches } from './search/conditions.ts'
import * as store from './store.ts'

type Row = {
  id: number
  title: string
  severity: number
  triage_state: number
  file_paths: string[]
  cwes: string[]
  repositories: TriggerRepository[]
}

/** Issues as automations look at them: those of the ids that the actor sees. */
export async function issueSubjects(db: Queryable, actor: Actor, ids: readonly number[]): Promise<Subject[]> {
  const rows = await db.query<Row>(sql`select i.id, i.title, i.severity, i.triage_state,
      i.content -> 'filePaths' as file_paths, i.content -> 'cwes' as cwes,
      coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'tags', ${tagNames}) order by r.id)
        from issue_scope_repository s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id
        where s.deployment_id = i.deployment_id and s.scope_id = i.scope_id), '[]') as repositories
    from issue i where i.deployment_id = ${db.deploymentId} and i.id = any(${ids}::bigint[]) and ${matches(actor, {})}
    order by i.id`)
  return rows.map((row) => ({
    kind: 'issue',
    id: String(row.id),
    title: row.title,
    path: row.file_paths[0] ?? '',
    severity: codes.severity.name(row.severity),
    confidence: '',
    product: '',
    reachability: '',
    ruleId: '',
    category: '',
    cwes: row.cwes,
    malicious: false,
    triageState: codes.state.name(row.triage_state),
    isNew: true,
    repositories: row.repositories,
  }))
}

/** A person has decided about issues. */
export function triagedEvent(actor: Actor, issues: readonly { id: number }[]): TriggerEvent {
  const ids = issues.map(({ id }) => id)
  const nowhere = { repository: null, ref: '', scanId: 0, pullRequest: 0 }
  return { source: 'TRIGGER_SOURCE_ISSUE_TRIAGED', ...nowhere, subjects: (db) => issueSubjects(db, actor, ids) }
}

/** What a person has decided is left alone, and so is what stands like this already. */
export const triageIssuesByAutomation: TriageByAutomation = async (tx, { subjects, state, reason }) => {
  const decision = { state: codes.state.code(state as TriageState), reason: codes.reason.code(reason as TriageReason) }
  const issues = await store.lock(
    tx,
    tx.actor,
    subjects.map(({ id }) => Number(id)),
  )
  const open = issues.filter(
    (issue) =>
      issue.decided_by !== 'person' &&
      (issue.triage_state !== decision.state || issue.triage_reason !== decision.reason),
  )
  await decide(tx, open, decision, 'automation')
  return open.map(({ id }) => String(id))
}
