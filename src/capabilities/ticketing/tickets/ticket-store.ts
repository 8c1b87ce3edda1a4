import sql, { empty, type Sql } from 'sql-template-tag'
import { type Actor, seesEverything } from '../../../kernel/access/actor.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { fixedFinding, visibleFinding } from '../../findings/public.ts'
import { fixedIssue, visibleIssue } from '../../issues/public.ts'
import type { TrackerIssue } from '../tracker/tracker.ts'

export type SubjectKind = 'finding' | 'issue'
export type SubjectKey = { kind: SubjectKind; id: number }
export type TicketState = 'creating' | 'ready' | 'failed'

export type TicketRow = {
  id: number
  instanceId: number
  url: string
  state: TicketState
  label: string
  attemptedAt: Date | null
  detail: string
  parentKey: string
  key: string
  summary: string
  statusName: string
  isClosed: boolean
  closedAt: Date | null
  statusSeenAt: Date | null
  transition: 'none' | 'due' | 'fired' | 'failed'
  transitionDetail: string
  createdBy: number
  createdAt: Date
  version: number
  findingIds: string[]
  issueIds: string[]
}

const subjectsOf = (kind: SubjectKind, visible: Sql) => sql`array(select s.subject_id from ticket_subject s
  where s.deployment_id = t.deployment_id and s.ticket_id = t.id and s.kind = ${kind} and ${visible}
  order by s.subject_id)::text[]`

function columnsFor(actor: Actor): Sql {
  return sql`t.id, t.instance_id as "instanceId", i.url, t.state, t.label, t.attempted_at as "attemptedAt", t.detail,
    t.parent_key as "parentKey", t.key, t.summary, t.status_name as "statusName", t.is_closed as "isClosed",
    t.closed_at as "closedAt", t.status_seen_at as "statusSeenAt", t.transition,
    t.transition_detail as "transitionDetail", t.created_by as "createdBy", t.created_at as "createdAt", t.version,
    ${subjectsOf('finding', visibleSubject(actor, 'finding'))} as "findingIds",
    ${subjectsOf('issue', visibleSubject(actor, 'issue'))} as "issueIds"`
}

const source = sql`ticket t join ticketing_instance i on i.deployment_id = t.deployment_id and i.id = t.instance_id`

function visibleSubject(actor: Actor, kind: SubjectKind): Sql {
  if (seesEverything(actor)) return sql`true`
  return kind === 'finding' ? visibleFinding(actor, sql`s.subject_id`) : visibleIssue(actor, sql`s.subject_id`)
}

/** Holds for tickets that are about something the actor sees. */
function visible(actor: Actor): Sql {
  if (seesEverything(actor)) return sql`true`
  return sql`exists (select 1 from ticket_subject s where s.deployment_id = t.deployment_id and s.ticket_id = t.id
    and ((s.kind = 'finding' and ${visibleSubject(actor, 'finding')})
      or (s.kind = 'issue' and ${visibleSubject(actor, 'issue')})))`
}

export type TicketFilter = { findingId?: number; issueId?: number; instanceId?: number }

/** With one more than the page has. */
export function list(db: Queryable, actor: Actor, filter: TicketFilter, page: PageRequest): Promise<TicketRow[]> {
  const about = (kind: SubjectKind, id: number | undefined) =>
    id === undefined
      ? empty
      : sql`and exists (select 1 from ticket_subject s where s.deployment_id = t.deployment_id and s.ticket_id = t.id
          and s.kind = ${kind} and s.subject_id = ${id} and ${visibleSubject(actor, kind)})`
  const at = filter.instanceId === undefined ? empty : sql`and t.instance_id = ${filter.instanceId}`
  return db.query(sql`select ${columnsFor(actor)} from ${source}
    where t.deployment_id = ${db.deploymentId} and t.id > ${page.after} and ${visible(actor)} ${at}
      ${about('finding', filter.findingId)} ${about('issue', filter.issueId)}
    order by t.id limit ${page.size + 1}`)
}

export async function find(db: Queryable, actor: Actor, id: number): Promise<TicketRow | undefined> {
  const [row] = await db.query<TicketRow>(sql`select ${columnsFor(actor)} from ${source}
    where t.deployment_id = ${db.deploymentId} and t.id = ${id} and ${visible(actor)}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, actor: Actor, id: number): Promise<TicketRow | undefined> {
  await tx.query(sql`select from ticket where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return find(tx, actor, id)
}

/** The tickets that these already have. Whoever is adding one for the same is waited for by `addSubjects`. */
export function ofSubjects(db: Queryable, subjects: readonly SubjectKey[]) {
  return db.query<SubjectKey & { ticketId: number; state: TicketState }>(sql`
    select s.kind, s.subject_id as id, s.ticket_id as "ticketId", t.state
    from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::bigint[]) as w (kind, id)
    join ticket_subject s on s.deployment_id = ${db.deploymentId} and s.kind = w.kind and s.subject_id = w.id
    join ticket t on t.deployment_id = s.deployment_id and t.id = s.ticket_id
    order by s.ticket_id, s.kind, s.subject_id`)
}

export async function insertCreating(
  tx: Transaction,
  ticket: { instanceId: number; label: string; parentKey: string },
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`insert into ticket
      (deployment_id, instance_id, state, label, parent_key, created_by)
    values (${tx.deploymentId}, ${ticket.instanceId}, 'creating', ${ticket.label}, ${ticket.parentKey},
      ${tx.actor.personId}) returning id`)
  return row!.id
}

/** A ticket that people wrote, or one that is known already. */
export async function putLinked(tx: Transaction, instanceId: number, issue: TrackerIssue, now: Date): Promise<number> {
  const { name, isDone } = issue.status
  const [row] = await tx.query<{
    id: number
  }>(sql`insert into ticket (deployment_id, instance_id, state, label, tracker_id,
      key, summary, status_name, is_closed, closed_at, status_seen_at, created_by)
    values (${tx.deploymentId}, ${instanceId}, 'ready', '', ${issue.id}, ${issue.key}, ${issue.summary}, ${name}, ${isDone},
      ${isDone ? now : null}, ${now}, ${tx.actor.personId})
    on conflict (deployment_id, instance_id, tracker_id) where tracker_id <> ''
      do update set key = excluded.key, version = ticket.version + 1
    returning id`)
  return row!.id
}

/** Those that were not taken by another ticket. */
export async function addSubjects(tx: Transaction, ticketId: number, subjects: readonly SubjectKey[]): Promise<number> {
  const rows = await tx.query(sql`insert into ticket_subject (deployment_id, kind, subject_id, ticket_id)
    select ${tx.deploymentId}::bigint, w.kind, w.id, ${ticketId}::bigint
    from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::bigint[]) as w (kind, id)
    order by w.kind, w.id
    on conflict (deployment_id, kind, subject_id) do nothing returning 1 as added`)
  return rows.length
}

export async function removeSubjects(
  tx: Transaction,
  ticketId: number,
  subjects: readonly SubjectKey[],
): Promise<number> {
  const rows = await tx.query(sql`delete from ticket_subject s
    using unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::bigint[]) as w (kind, id)
    where s.deployment_id = ${tx.deploymentId} and s.ticket_id = ${ticketId} and s.kind = w.kind and s.subject_id = w.id
    returning 1 as removed`)
  await tx.query(
    sql`update ticket set version = version + 1 where deployment_id = ${tx.deploymentId} and id = ${ticketId}`,
  )
  return rows.length
}

/** Without what it was about there is nothing to know about a ticket. */
export async function removeIfBare(tx: Transaction, ticketId: number): Promise<void> {
  await tx.query(sql`delete from ticket t where t.deployment_id = ${tx.deploymentId} and t.id = ${ticketId} and not exists
    (select 1 from ticket_subject s where s.deployment_id = t.deployment_id and s.ticket_id = t.id)`)
}

/** Told once, a ticket is left to people, until something it is about is open again. */
export async function rearm(tx: Transaction): Promise<void> {
  await tx.query(sql`update ticket t set transition = 'none', transition_detail = '', version = t.version + 1
    where t.deployment_id = ${tx.deploymentId} and t.transition in ('fired', 'failed') and not ${areFixed}`)
}

/** Tickets whose subjects are all fixed and that were not told yet, marked as due. */
export async function markDue(tx: Transaction, instanceId?: number): Promise<{ id: number; instanceId: number }[]> {
  const at = instanceId === undefined ? empty : sql`and t.instance_id = ${instanceId}`
  return tx.query(sql`update ticket t set transition = 'due', transition_detail = '', version = t.version + 1
    from ticketing_instance i
    where t.deployment_id = ${tx.deploymentId} and t.state = 'ready' and t.transition = 'none' ${at}
      and i.deployment_id = t.deployment_id and i.id = t.instance_id and i.fixed_transition_id <> ''
      and i.api_token is not null
      and ${areFixed}
    returning t.id, t.instance_id as "instanceId"`)
}

export async function isAllFixed(db: Queryable, id: number): Promise<boolean> {
  const rows = await db.query(sql`select from ticket t where t.deployment_id = ${db.deploymentId} and t.id = ${id}
    and ${areFixed}`)
  return rows.length > 0
}

const isFixed = sql`case when s.kind = 'finding' then ${fixedFinding(sql`s.deployment_id`, sql`s.subject_id`)}
  else ${fixedIssue(sql`s.deployment_id`, sql`s.subject_id`)} end`
/** All that a ticket (`t`) is about. What is there no more counts neither way. */
const areFixed = sql`(select coalesce(bool_and(fixed), false) from (select ${isFixed} as fixed from ticket_subject s
  where s.deployment_id = t.deployment_id and s.ticket_id = t.id) as subject)`
