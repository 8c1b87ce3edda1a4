import sql, { empty, type Sql } from 'sql-template-tag'
import type { Occasion, TriggerSource } from '../../../domain/trigger-event.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import type { ActionType } from '../automation.ts'

export type NewRun = {
  automationId: number
  actionId: number
  actionType: ActionType
  subjectCount: number
  subjects: string[]
  /** 0: it is done with the transaction. */
  jobId: number
}

export function insertion(tx: Transaction, occasion: Occasion, runs: readonly (NewRun & { id: number })[]): Sql {
  const { source, repository, ref, scanId } = occasion
  return sql`insert into automation_run (deployment_id, id, automation_id, action_id, action_type, trigger_source,
      repository_id, ref, scan_id, subject_count, subjects, job_id, finished_at)
    select ${tx.deploymentId}::bigint, given.id, "automationId", "actionId", "actionType", ${source},
      ${repository?.id ?? 0}::bigint, ${ref}, ${scanId}::bigint, "subjectCount",
      array(select jsonb_array_elements_text(given.subjects)), "jobId",
      case when "jobId" = 0 then statement_timestamp() end
    from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as given (id bigint, "automationId" bigint,
      "actionId" bigint, "actionType" text, "subjectCount" integer, subjects jsonb, "jobId" bigint)
    ${rowsNotCopied}`
}

export async function nextIds(tx: Transaction, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    sql`select nextval('automation_run_id_seq') as id from generate_series(1, ${count})`,
  )
  return rows.map(({ id }) => id)
}

export async function finish(tx: Transaction, id: number, attempts: number): Promise<void> {
  await tx.query(sql`update automation_run set finished_at = statement_timestamp(), attempts = ${attempts}
    where deployment_id = ${tx.deploymentId} and id = ${id} and finished_at is null`)
}

export type RunRow = {
  id: number
  action_id: number
  action_type: ActionType
  trigger_source: TriggerSource
  repository_id: number
  /** Null where there is none, or it was deleted. */
  repository_name: string | null
  ref: string
  scan_id: number
  subject_count: number
  subjects: string[]
  created_at: Date
  finished_at: Date | null
  /** Null until it was done by its job. */
  attempts: number | null
  /** Null where its job is gone. */
  attempt: number | null
  error: string | null
  dead_letter: number | null
}

/** Newest first, with one more than the page has. */
export function list(
  db: Queryable,
  automationId: number,
  actionId: number | undefined,
  { after, size }: PageRequest,
): Promise<RunRow[]> {
  const ofAction = actionId === undefined ? empty : sql`and r.action_id = ${actionId}`
  const before = after > 0 ? sql`and r.id < ${after}` : empty
  return db.query(sql`select r.id, r.action_id, r.action_type, r.trigger_source, r.repository_id, repository.name as repository_name, r.ref, r.scan_id,
      r.subject_count, r.subjects, r.created_at, r.finished_at, r.attempts, job.attempt, job.error,
      case when job.dead_at is not null then job.id end as dead_letter
    from automation_run r
    left join repository on repository.deployment_id = r.deployment_id and repository.id = r.repository_id
    left join outbox job on job.deployment_id = r.deployment_id and job.id = r.job_id
    where r.deployment_id = ${db.deploymentId} and r.automation_id = ${automationId} ${ofAction} ${before}
    order by r.id desc limit ${size + 1}`)
}
