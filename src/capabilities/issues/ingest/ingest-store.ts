import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { visibleTo } from '../../repositories/public.ts'
import { scopesFor } from '../search/conditions.ts'
import type { Content, LockedIssue } from '../store.ts'
import type { Decider } from './after-report.ts'

/** The time of the database, which all processes share: what the order of reports and decisions is told by. */
export async function currentTime(tx: Transaction): Promise<Date> {
  const [row] = await tx.query<{ now: Date }>(sql`select statement_timestamp()::timestamptz(3) as now`)
  return row!.now
}

/** The numbers of sets of repositories, made where they are new. */
export async function scopeIds(tx: Transaction, keys: readonly string[]): Promise<Map<string, number>> {
  const made = await tx.query<{ id: number; key: string }>(sql`insert into issue_scope (deployment_id, key)
    select ${tx.deploymentId}::bigint, given.key from unnest(${keys}::text[]) as given (key) order by given.key collate "C"
    on conflict (deployment_id, key) do nothing returning id, key`)
  await tx.query(sql`insert into issue_scope_repository (deployment_id, scope_id, repository_id)
    select s.deployment_id, s.id, held.id::bigint
    from issue_scope s, string_to_table(nullif(s.key, ''), ',') as held (id)
    where s.deployment_id = ${tx.deploymentId} and s.id = any(${made.map((scope) => scope.id)}::bigint[])`)
  const rows = await tx.query<{ id: number; key: string }>(sql`select id, key from issue_scope
    where deployment_id = ${tx.deploymentId} and key = any(${keys}::text[])`)
  return new Map(rows.map((row) => [row.key, row.id]))
}

export type HeldRepository = { scope_id: number; repository_id: number; seen: boolean }

/** The repositories of these sets, and whether the actor sees each. */
export function listHeld(tx: Transaction, actor: Actor, scopeIds: readonly number[]): Promise<HeldRepository[]> {
  return tx.query(sql`select held.scope_id, held.repository_id, ${visibleTo(actor, sql`held.repository_id`)} as seen
    from issue_scope_repository held
    where held.deployment_id = ${tx.deploymentId} and held.scope_id = any(${scopeIds}::bigint[])`)
}

export type Known = LockedIssue & {
  external_key: string
  detected: boolean
  observed_at: Date
  last_detected_at: Date
  triaged_at: Date | null
  content_digest: Buffer
  visible: boolean
}

/** Held until the transaction ends. In the order of ids, as everybody locks issues. */
export function lockKeys(tx: Transaction, actor: Actor, keys: readonly string[]): Promise<Known[]> {
  const scopes = scopesFor(actor, undefined)
  return tx.query(sql`select i.id, i.scope_id, i.severity, i.triage_state, i.triage_reason, i.decided_by, i.activity_count,
      i.version, i.external_key, i.detected, i.observed_at, i.last_detected_at, i.triaged_at, i.content_digest,
      ${scopes ? sql`i.scope_id in (${scopes})` : sql`true`} as visible
    from issue i where i.deployment_id = ${tx.deploymentId} and i.external_key = any(${keys}::text[])
    order by i.id for update of i`)
}

export type NewIssue = {
  external_key: string
  scope_id: number
  severity: number
  title: string
  content: Content
  content_digest: string
  at: Date
}

/** Inserts those whose key is still free. Who takes a key at the same moment is waited for, in the order of keys. */
export function insertNew(
  tx: Transaction,
  issues: readonly NewIssue[],
): Promise<{ id: number; external_key: string }[]> {
  const keys = issues.map((issue) => issue.external_key)
  return tx.query(sql`insert into issue (deployment_id, external_key, scope_id, severity, title, content, content_digest,
      detected, created_at, last_detected_at, observed_at)
    select ${tx.deploymentId}::bigint, external_key, scope_id, severity, title, content, decode(content_digest, 'hex'),
      true, at, at, at
    from jsonb_to_recordset(${JSON.stringify(issues)}::jsonb) as given (external_key text, scope_id bigint,
      severity smallint, title text, content jsonb, content_digest text, at timestamptz)
    where external_key not in (select known.external_key from issue known
      where known.deployment_id = ${tx.deploymentId} and known.external_key = any(${keys}::text[]))
    order by external_key collate "C"
    on conflict (deployment_id, external_key) do nothing returning id, external_key`)
}

export type Update = NewIssue & {
  id: number
  detected: boolean
  last_detected_at: Date
  triage_state: number
  triage_reason: number
  decided_by: Decider | null
  /** Whether the report led to a decision, which then is part of the activity. */
  decided: boolean
}

export async function update(tx: Transaction, updates: readonly Update[]): Promise<void> {
  const { personId, tokenId } = tx.actor
  const given = sql`jsonb_to_recordset(${JSON.stringify(updates)}::jsonb) as given (id bigint, scope_id bigint,
    severity smallint, title text, content jsonb, content_digest text, at timestamptz, detected boolean,
    last_detected_at timestamptz, triage_state smallint, triage_reason smallint, decided_by text, decided boolean)`
  await tx.query(sql`with former as (
      select i.id, i.triage_state, i.triage_reason from issue i
      where i.deployment_id = ${tx.deploymentId} and i.id = any(${updates.map((one) => one.id)}::bigint[])
    ), updated as (
      update issue i set scope_id = given.scope_id, severity = given.severity, title = given.title,
        content = given.content, content_digest = decode(given.content_digest, 'hex'), detected = given.detected,
        observed_at = given.at, last_detected_at = given.last_detected_at, version = i.version + 1,
        triage_state = given.triage_state, triage_reason = given.triage_reason, decided_by = given.decided_by,
        triaged_at = case when given.decided then given.now else i.triaged_at end,
        activity_count = i.activity_count + given.decided::int
      from (select given.*, statement_timestamp() as now from ${given}) given where i.deployment_id = ${tx.deploymentId} and i.id = given.id
      returning i.id, i.activity_count, i.triaged_at, i.triage_state, i.triage_reason, given.decided
    )
    insert into issue_activity (deployment_id, issue_id, seq, at, decided_by, person_id, token_id,
      from_state, from_reason, to_state, to_reason)
    select ${tx.deploymentId}::bigint, updated.id, updated.activity_count, updated.triaged_at, 'automation',
      ${personId}::bigint, ${tokenId}::bigint, former.triage_state, former.triage_reason,
      updated.triage_state, updated.triage_reason
    from updated join former on former.id = updated.id where updated.decided
    ${rowsNotCopied}`)
}
