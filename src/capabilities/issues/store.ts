import sql, { type Sql } from 'sql-template-tag'
import { nameOfPerson } from '../../domain/person-names.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { rowsNotCopied } from '../../kernel/database/given-rows.ts'
import { visibleTo } from '../repositories/public.ts'
import type { Decider } from './ingest/after-report.ts'
import type { ListName } from './issue.ts'
import { type IssueCriteria, matches } from './search/conditions.ts'

export type Content = { description: string; reasoning: string } & Record<ListName, string[]>

export type IssueRow = {
  id: number
  title: string
  content: Content
  severity: number
  detected: boolean
  triage_state: number
  triage_reason: number
  created_at: Date
  last_detected_at: Date
  triaged_at: Date | null
  version: number
  repository_ids: string[]
}

/**
 * The columns of an issue (`i`) as the actor may see it. 'is true' keeps the planner from joining what is visible to every
 * single issue: it is hashed once.
 */
export function columnsFor(actor: Actor): Sql {
  return sql`i.id, i.title, i.content, i.severity, i.detected, i.triage_state, i.triage_reason, i.created_at,
    i.last_detected_at, i.triaged_at, i.version,
    array(select held.repository_id from issue_scope_repository held
      where held.deployment_id = i.deployment_id and held.scope_id = i.scope_id
        and (${visibleTo(actor, sql`held.repository_id`)}) is true order by held.repository_id)::text[] as repository_ids`
}

export async function find(db: Queryable, actor: Actor, id: number): Promise<IssueRow | undefined> {
  const [row] = await db.query<IssueRow>(sql`select ${columnsFor(actor)} from issue i
    where i.deployment_id = ${db.deploymentId} and i.id = ${id} and ${matches(actor, {})}`)
  return row
}

/** What a decision about an issue starts from. */
export type LockedIssue = {
  id: number
  scope_id: number
  severity: number
  triage_state: number
  triage_reason: number
  decided_by: Decider | null
  activity_count: number
  version: number
}

const standing = sql`i.id, i.scope_id, i.severity, i.triage_state, i.triage_reason, i.decided_by, i.activity_count, i.version`

/** Held until the transaction ends. Always in the order of ids, so that two who want the same issues do not block each other. */
export function lock(tx: Transaction, actor: Actor, ids: readonly number[]): Promise<LockedIssue[]> {
  return tx.query(sql`select ${standing} from issue i
    where i.deployment_id = ${tx.deploymentId} and i.id = any(${ids}::bigint[]) and ${matches(actor, {})}
    order by i.id for update of i`)
}

export function lockMatching(
  tx: Transaction,
  actor: Actor,
  wanted: IssueCriteria,
  limit: number,
): Promise<LockedIssue[]> {
  return tx.query(sql`select ${standing} from issue i
    where i.deployment_id = ${tx.deploymentId} and ${matches(actor, wanted)}
    order by i.id limit ${limit} for update of i`)
}

/** A decision on each of the issues, with its activity. */
export async function decide(
  tx: Transaction,
  ids: readonly number[],
  { state, reason, decidedBy }: { state: number; reason: number; decidedBy: Decider },
): Promise<void> {
  const { personId, tokenId } = tx.actor
  await tx.query(sql`with former as (
      select i.id, i.triage_state, i.triage_reason from issue i
      where i.deployment_id = ${tx.deploymentId} and i.id = any(${ids}::bigint[])
    ), decided as (
      update issue i set triage_state = ${state}, triage_reason = ${reason}, triaged_at = statement_timestamp(),
        decided_by = ${decidedBy}, activity_count = i.activity_count + 1, version = i.version + 1
      where i.deployment_id = ${tx.deploymentId} and i.id = any(${ids}::bigint[])
      returning i.id, i.activity_count, i.triaged_at
    )
    insert into issue_activity (deployment_id, issue_id, seq, at, decided_by, person_id, token_id,
      from_state, from_reason, to_state, to_reason)
    select ${tx.deploymentId}::bigint, decided.id, decided.activity_count, decided.triaged_at, ${decidedBy}::text,
      ${personId}::bigint, ${tokenId}::bigint, former.triage_state, former.triage_reason,
      ${state}::smallint, ${reason}::smallint
    from decided join former on former.id = decided.id
    ${rowsNotCopied}`)
}

export type ActivityRow = {
  seq: number
  at: Date
  decided_by: Decider
  person_id: number
  person_name: string
  token_id: number
  from_state: number
  from_reason: number
  to_state: number
  to_reason: number
}

export function listActivity(db: Queryable, issueId: number, before: number, limit: number): Promise<ActivityRow[]> {
  return db.query(sql`select a.seq, a.at, a.decided_by, a.person_id, ${nameOfPerson(db.deploymentId, sql`a.person_id`)} as person_name, a.token_id,
      a.from_state, a.from_reason, a.to_state, a.to_reason
    from issue_activity a
    where a.deployment_id = ${db.deploymentId} and a.issue_id = ${issueId} and a.seq < ${before}
    order by a.seq desc limit ${limit}`)
}
