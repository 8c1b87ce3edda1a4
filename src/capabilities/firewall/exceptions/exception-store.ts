import sql, { empty, type Sql } from 'sql-template-tag'
import { nameOfPerson } from '../../../domain/person-names.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Verdict } from '../verdicts/verdict.ts'

export type Subject = { ecosystem: EcosystemId; name: string; version: string }
type AskerRow = { personId: number; personName: string; reason: string; askedAt: string }

export type ExceptionRow = Subject & {
  id: number
  state: 'open' | 'approved' | 'rejected' | 'ended'
  rule: string
  refusedBecause: string
  advisoryIds: string[]
  askerCount: number
  askers: AskerRow[]
  createdAt: Date
  decidedBy: number
  decidedByName: string
  decidedAt: Date | null
  decisionReason: string
  versions: string
  scope: 'deployment' | 'team'
  teamId: number
  teamName: string
  expiresAt: Date | null
  knownAdvisories: string[]
  newAdvisoryIds: string[]
  endedBy: number
  endedByName: string
  endedAt: Date | null
  endedReason: string
  rowVersion: number
}

/** Whose requests are wanted: everybody's, or one person's. */
export type Whose = number | 'all'

const mostAskers = 100

/** Of the askers those that `whose` may see. */
function columns(whose: Whose): Sql {
  const own = whose === 'all' ? empty : sql`and asker.person_id = ${whose}`
  return sql`e.id, e.ecosystem, e.name, e.version, e.state, e.rule, e.reason as "refusedBecause",
    e.advisory_ids as "advisoryIds", e.created_at as "createdAt", e.decided_by as "decidedBy",
    ${nameOfPerson(sql`e.deployment_id`, sql`e.decided_by`)} as "decidedByName",
    e.decided_at as "decidedAt", e.decision_reason as "decisionReason", e.versions, e.scope,
    coalesce(e.team_id, 0) as "teamId", coalesce((select team.name from team
      where team.deployment_id = e.deployment_id and team.id = e.team_id), '') as "teamName",
    e.expires_at as "expiresAt", e.known_advisories as "knownAdvisories", e.new_advisories as "newAdvisoryIds",
    e.ended_by as "endedBy", ${nameOfPerson(sql`e.deployment_id`, sql`e.ended_by`)} as "endedByName",
    e.ended_at as "endedAt", e.ended_reason as "endedReason", e.row_version as "rowVersion",
    (select count(*) from firewall_exception_asker asker
      where asker.deployment_id = e.deployment_id and asker.exception_id = e.id) as "askerCount",
    (select coalesce(jsonb_agg(to_jsonb(listed)), '[]'::jsonb) from (
      select asker.person_id as "personId", asker.reason, asker.asked_at as "askedAt",
        ${nameOfPerson(sql`e.deployment_id`, sql`asker.person_id`)} as "personName"
      from firewall_exception_asker asker where asker.deployment_id = e.deployment_id and asker.exception_id = e.id ${own}
      order by asker.asked_at, asker.person_id limit ${mostAskers}) listed) as askers`
}

function askedBy(personId: number): Sql {
  return sql`exists (select 1 from firewall_exception_asker asker where asker.deployment_id = e.deployment_id
    and asker.exception_id = e.id and asker.person_id = ${personId})`
}

export type ExceptionFilter = { state?: string; package?: string; personId?: number }

/** Newest first, with one more than the page has. */
export function list(
  db: Queryable,
  { after, size }: PageRequest,
  { state, package: text, personId }: ExceptionFilter,
  whose: Whose,
  now: Date,
): Promise<ExceptionRow[]> {
  const inState =
    state === 'expired'
      ? sql`and e.state = 'approved' and e.expires_at <= ${now}`
      : state === 'approved'
        ? sql`and e.state = 'approved' and e.expires_at > ${now}`
        : sql`and e.state = ${state}`
  return db.query(sql`select ${columns(whose)} from firewall_exception e
    where e.deployment_id = ${db.deploymentId} ${after > 0 ? sql`and e.id < ${after}` : empty}
      ${state === undefined ? empty : inState}
      ${text ? sql`and strpos(lower(e.name), lower(${text})) > 0` : empty}
      ${personId === undefined ? empty : sql`and ${askedBy(personId)}`}
      ${whose === 'all' ? empty : sql`and ${askedBy(whose)}`}
    order by e.id desc limit ${size + 1}`)
}

export async function find(db: Queryable, id: number, whose: Whose): Promise<ExceptionRow | undefined> {
  const [row] = await db.query<ExceptionRow>(sql`select ${columns(whose)} from firewall_exception e
    where e.deployment_id = ${db.deploymentId} and e.id = ${id} ${whose === 'all' ? empty : sql`and ${askedBy(whose)}`}`)
  return row
}

/** To be called after the rules of the firewall are locked, which keeps two decisions apart. */
export async function lock(tx: Transaction, id: number): Promise<ExceptionRow | undefined> {
  await tx.query(sql`select from firewall_exception where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return find(tx, id, 'all')
}

/** The open request about a version and whether it is new; held until the transaction ends. */
export async function open(
  tx: Transaction,
  { ecosystem, name, version }: Subject,
  { rule, reason, advisoryIds }: Verdict,
  now: Date,
): Promise<{ id: number; isNew: boolean }> {
  for (;;) {
    const [made] = await tx.query<{ id: number }>(sql`insert into firewall_exception
        (deployment_id, ecosystem, name, version, rule, reason, advisory_ids, created_at)
      values (${tx.deploymentId}, ${ecosystem}, ${name}, ${version}, ${rule}, ${reason}, ${[...advisoryIds]}::text[], ${now})
      on conflict do nothing returning id`)
    if (made) return { id: made.id, isNew: true }
    const [known] = await tx.query<{ id: number }>(sql`select id from firewall_exception
      where deployment_id = ${tx.deploymentId} and ecosystem = ${ecosystem} and name = ${name} and version = ${version}
        and state = 'open' for update`)
    // Otherwise it was decided in between.
    if (known) return { id: known.id, isNew: false }
  }
}

/** Whether the person had not asked before. */
export async function addAsker(tx: Transaction, id: number, reason: string, now: Date): Promise<boolean> {
  const [row] = await tx.query<{ isNew: boolean }>(sql`insert into firewall_exception_asker as known
      (deployment_id, exception_id, person_id, reason, asked_at)
    values (${tx.deploymentId}, ${id}, ${tx.actor.personId}, ${reason}, ${now})
    on conflict (deployment_id, exception_id, person_id) do update set reason = excluded.reason
    returning asked_at = ${now} as "isNew"`)
  return row!.isNew
}

/** Asked of the table: a row shows the first askers alone. */
export async function hasAsked(db: Queryable, id: number, personId: number): Promise<boolean> {
  const rows = await db.query(sql`select from firewall_exception_asker
    where deployment_id = ${db.deploymentId} and exception_id = ${id} and person_id = ${personId}`)
  return rows.length > 0
}

export type Grant = {
  versions: string
  teamId: number | null
  expiresAt: Date
  lifts: readonly string[]
  knownAdvisories: readonly string[]
}

export async function approve(tx: Transaction, id: number, reason: string, grant: Grant, now: Date): Promise<void> {
  const { versions, teamId, expiresAt, lifts, knownAdvisories } = grant
  await tx.query(sql`update firewall_exception set state = 'approved', decided_by = ${tx.actor.personId},
      decided_at = ${now}, decision_reason = ${reason}, versions = ${versions},
      scope = ${teamId === null ? 'deployment' : 'team'}, team_id = ${teamId}, expires_at = ${expiresAt},
      lifts = ${[...lifts]}::text[], known_advisories = ${[...knownAdvisories]}::text[], row_version = row_version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
  // What was known here may be a moment behind the advisories: it is compared with them once more.
  await tx.query(sql`update firewall_deployment set exceptions_judged = '' where deployment_id = ${tx.deploymentId}`)
}

export async function reject(tx: Transaction, id: number, reason: string, now: Date): Promise<void> {
  await tx.query(sql`update firewall_exception set state = 'rejected', decided_by = ${tx.actor.personId},
      decided_at = ${now}, decision_reason = ${reason}, row_version = row_version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function end(tx: Transaction, id: number, reason: string, now: Date): Promise<void> {
  await tx.query(sql`update firewall_exception set state = 'ended', ended_by = ${tx.actor.personId}, ended_at = ${now},
      ended_reason = ${reason}, row_version = row_version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function noteAdvisories(tx: Transaction, id: number, advisoryIds: readonly string[]): Promise<void> {
  await tx.query(sql`update firewall_exception set new_advisories = ${[...advisoryIds]}::text[], row_version = row_version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Those in force, in the order of their ids. */
export function listInForce(db: Queryable, now: Date): Promise<ExceptionRow[]> {
  return db.query(sql`select ${columns('all')} from firewall_exception e
    where e.deployment_id = ${db.deploymentId} and e.state = 'approved' and e.expires_at > ${now} order by e.id`)
}

/** What waits and what was decided last about a version. */
export async function standing(
  db: Queryable,
  { ecosystem, name, version }: Subject,
  personId: number,
): Promise<{ open: { id: number; askerCount: number; asked: boolean } | undefined; last: ExceptionRow | undefined }> {
  const about = sql`e.deployment_id = ${db.deploymentId} and e.ecosystem = ${ecosystem} and e.name = ${name}
    and e.version = ${version}`
  const [open] = await db.query<{ id: number; askerCount: number; asked: boolean }>(sql`select e.id,
      (select count(*) from firewall_exception_asker asker
        where asker.deployment_id = e.deployment_id and asker.exception_id = e.id) as "askerCount",
      ${askedBy(personId)} as asked
    from firewall_exception e where ${about} and e.state = 'open'`)
  const [last] = await db.query<ExceptionRow>(sql`select ${columns(personId)} from firewall_exception e
    where ${about} and e.state <> 'open' order by e.id desc limit 1`)
  return { open, last }
}

export async function teamName(db: Queryable, id: number): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(
    sql`select name from team where deployment_id = ${db.deploymentId} and id = ${id}`,
  )
  return row?.name
}
