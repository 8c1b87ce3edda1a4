import sql from 'sql-template-tag'
import type { LinkTemplates } from '../../domain/code-links.ts'
import { decidedBy, stateIs } from '../../domain/finding-sql.ts'
import { nameOfPerson } from '../../domain/person-names.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'
import { daysOfFinding } from './deadlines/store.ts'
import type { Content, Detail } from './ingest/pack.ts'

export type FindingRow = {
  id: number
  repository_id: number
  repository: string
  ref: string
  source: string
  rule_id: number
  rule: string
  fingerprint: string
  pull_request: number
  product: number
  category: number
  severity: number
  confidence: number
  reachability: number
  validity: number
  verdict: number
  malicious: boolean
  silenced: boolean
  state: number
  reason: number
  decided_by: number
  decider_id: number
  raised_at: Date
  state_at: Date
  fixed_at: Date | null
  scan_id: number
  version: number
  start_line: number
  path: string
  title: string
  message: string
  cwes: string[]
  vulnerability_ids: string[]
  decider_name: string
  commit: string
  web_url: string
  link_templates: Partial<LinkTemplates>
  assignee_id: number | null
  assignee_name: string | null
  due_days: number | null
  content: Content
}

/** Of a finding (`f`) and what it refers to. */
export const columns = sql`f.id, f.repository_id, r.name as repository, s.ref, s.source, f.rule_id, rule.external_id as rule, f.fingerprint,
  f.pull_request, f.product, f.category, f.severity, f.confidence, f.reachability, f.validity, f.verdict, f.malicious,
  f.silenced, f.state, f.reason, f.decided_by, f.decider_id, f.raised_at, f.state_at, f.fixed_at, f.scan_id, f.version,
  f.start_line, f.path, f.title, f.message, f.cwes, f.vulnerability_ids, f.content, coalesce(decider.name, '') as decider_name,
  r.web_url, r.link_templates,
  coalesce(seen.commit, '') as commit, assignee.id as assignee_id, assignee.name as assignee_name, due.days as due_days`
/**
 * A look into an index for each finding, whatever the planner believes about tables that nobody has analysed yet. Each names
 * the deployment itself, so that a part of the statement alone tells whose rows it reads.
 */
export const withContext = (
  deploymentId: number,
) => sql`cross join lateral (select r.name, r.web_url, r.link_templates from repository r
    where r.deployment_id = ${deploymentId} and r.id = f.repository_id offset 0) r
  cross join lateral (select s.ref, s.source, s.scan_id from finding_stream s
    where s.deployment_id = ${deploymentId} and s.id = f.stream_id offset 0) s
  cross join lateral (select rule.external_id from finding_rule rule
    where rule.deployment_id = ${deploymentId} and rule.id = f.rule_id offset 0) rule
  left join lateral (select ${nameOfPerson(deploymentId, sql`f.decider_id`)} as name where f.decided_by = 4 offset 0) decider
    on true
  left join lateral (select scan.commit from scan where scan.deployment_id = ${deploymentId}
    and scan.id = case when f.fixed_at is null then s.scan_id else f.scan_id end offset 0) seen on true
  left join lateral (select person.id, person.name from subject_assignment a join person on person.id = a.person_id
    where a.deployment_id = ${deploymentId} and a.kind = 'finding' and a.subject_id = f.id offset 0) assignee on true
  cross join lateral ${daysOfFinding(deploymentId)} due`

export async function find(db: Queryable, actor: Actor, id: number): Promise<FindingRow | undefined> {
  const [row] = await db.query<FindingRow>(sql`select ${columns} from finding f ${withContext(db.deploymentId)}
    where f.deployment_id = ${db.deploymentId} and f.id = ${id} and ${visibleTo(actor, sql`f.repository_id`)}`)
  return row
}

export type DetailRow = {
  detail: Detail | null
  description: string
  help: string
  help_uri: string
  /** Looked for by the latest scan, and not there, though its state does not say so. */
  missing: boolean
  latest_scan_id: number
  observed_at: Date
}

/** Of one that the actor was found to see. */
export async function findDetail(db: Queryable, id: number): Promise<DetailRow | undefined> {
  const [row] = await db.query<DetailRow>(sql`select f.detail, rule.description, rule.help, rule.help_uri,
      f.absent and f.state <> ${stateIs.fixed} as missing, s.scan_id as latest_scan_id, s.observed_at
    from finding f join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
    where f.deployment_id = ${db.deploymentId} and f.id = ${id}`)
  return row
}

export type ChangeRow = {
  seq: number
  at: Date
  from_state: number
  from_reason: number
  to_state: number
  to_reason: number
  decided_by: number
  decider_id: number
  decider_name: string
  token_id: number
  scan_id: number
  note: string
}

/** The changes before a number, newest first; that it was raised is number 0. */
export function listHistory(db: Queryable, id: number, before: number, limit: number): Promise<ChangeRow[]> {
  return db.query(sql`select * from (
      select h.seq, h.at, h.from_state, h.from_reason, h.to_state, h.to_reason, h.decided_by, h.decider_id,
        case when h.decided_by = ${decidedBy.person}
          then ${nameOfPerson(db.deploymentId, sql`h.decider_id`)} else '' end as decider_name, h.token_id, h.scan_id, h.note
      from finding_history h
      where h.deployment_id = ${db.deploymentId} and h.finding_id = ${id} and h.seq < ${before}
      union all
      select 0, f.raised_at, 1::smallint, 0::smallint, 1::smallint, 0::smallint, 0::smallint, 0, '', 0,
        f.scan_id, ''
      from finding f where f.deployment_id = ${db.deploymentId} and f.id = ${id}
    ) change order by seq desc limit ${limit}`)
}
