import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'
import type { TeamDefaults, TeamQuery, TeamRole } from './contract.ts'

export type TeamRow = {
  id: number
  name: string
  slug: string
  parent_team_id: number | null
  level: number
  is_project_default: boolean
  is_user_default: boolean
  version: number
  repository_count: number
  user_count: number
  child_team_count: number
  own_role: TeamRole | null
}

function teamsFor(actor: Actor) {
  return sql`select t.id, t.name, t.slug, t.parent_team_id, t.level, t.is_project_default, t.is_user_default, t.version,
    (select count(*) from team_repository held
      where held.deployment_id = t.deployment_id and held.team_id = t.id) as repository_count,
    (select count(*) from team_member member
      where member.deployment_id = t.deployment_id and member.team_id = t.id) as user_count,
    (select count(*) from team child
      where child.deployment_id = t.deployment_id and child.parent_team_id = t.id) as child_team_count,
    (select own.role from team_member own
      where own.deployment_id = t.deployment_id and own.team_id = t.id and own.person_id = ${actor.personId}) as own_role
    from team t`
}

export type WantedTeams = Pick<TeamQuery, 'parentTeamId' | 'text'>

export function list(db: Queryable, actor: Actor, wanted: WantedTeams, page: PageRequest): Promise<TeamRow[]> {
  return db.query(sql`${teamsFor(actor)} where ${matches(db, wanted)} and t.id > ${page.after}
    order by t.id limit ${page.size + 1}`)
}

export async function count(db: Queryable, wanted: WantedTeams): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*) as count from team t where ${matches(db, wanted)}`,
  )
  return row!.count
}

function matches(db: Queryable, { parentTeamId, text }: WantedTeams): Sql {
  return sql`t.deployment_id = ${db.deploymentId}
    ${parentTeamId === undefined ? empty : sql`and t.parent_team_id = ${parentTeamId}`}
    ${text === undefined ? empty : sql`and strpos(lower(t.name || ' ' || t.slug), lower(${text})) > 0`}`
}

export async function find(db: Queryable, actor: Actor, id: number): Promise<TeamRow | undefined> {
  const [row] = await db.query<TeamRow>(
    sql`${teamsFor(actor)} where t.deployment_id = ${db.deploymentId} and t.id = ${id}`,
  )
  return row
}

/**
 * Held until the transaction ends: updates of one team happen one after the other, each whole. A change does not wait for
 * uploads that bring new repositories into the team, which refer to it for as long as they take; its removal does.
 */
export async function lock(tx: Transaction, id: number, intent: 'change' | 'remove' = 'change'): Promise<boolean> {
  const rows = await tx.query(sql`select id from team where deployment_id = ${tx.deploymentId} and id = ${id}
    ${intent === 'remove' ? sql`for update` : sql`for no key update`}`)
  return rows.length > 0
}

export type TeamFields = {
  name: string
  slug: string
  parentTeamId?: number | undefined
  level: number
  isProjectDefault: boolean
  isUserDefault: boolean
}

/** Undefined where the slug is taken. */
export async function insertTeam(tx: Transaction, team: TeamFields): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into team
      (deployment_id, name, slug, parent_team_id, level, is_project_default, is_user_default)
    values (${tx.deploymentId}, ${team.name}, ${team.slug}, ${team.parentTeamId ?? null}, ${team.level},
      ${team.isProjectDefault}, ${team.isUserDefault})
    on conflict (deployment_id, slug) do nothing returning id`)
  return row?.id
}

/**
 * Every accepted change is a new version, even one that asks for what is already so: of several requests with one
 * `If-Match` exactly one wins.
 */
export async function touch(tx: Transaction, id: number, to: { name?: string } & TeamDefaults = {}): Promise<void> {
  await tx.query(sql`update team set version = version + 1, name = coalesce(${to.name ?? null}, name),
      is_project_default = coalesce(${to.isProjectDefault ?? null}, is_project_default),
      is_user_default = coalesce(${to.isUserDefault ?? null}, is_user_default)
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`select team_removed(${tx.deploymentId}::bigint, ${id}::bigint)`)
  await tx.query(sql`delete from team where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Those of the ids that are people of the deployment, kept from being removed until the transaction ends. */
export async function peopleWithIds(tx: Transaction, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.query<{ person_id: number }>(sql`select person_id from membership
    where deployment_id = ${tx.deploymentId} and person_id = any(${ids}::bigint[]) order by person_id for key share`)
  return new Set(rows.map((row) => row.person_id))
}

export type MemberRow = { id: number; name: string; email: string; role: TeamRole }

export function listMembers(db: Queryable, teamId: number, page: PageRequest): Promise<MemberRow[]> {
  return db.query(sql`select person.id, person.name, person.email, member.role
    from team_member member join person on person.id = member.person_id
    where member.deployment_id = ${db.deploymentId} and member.team_id = ${teamId} and member.person_id > ${page.after}
    order by member.person_id limit ${page.size + 1}`)
}

export async function putMembers(
  tx: Transaction,
  teamId: number,
  members: { id: number; role: TeamRole }[],
): Promise<void> {
  const ids = members.map((member) => member.id)
  const roles = members.map((member) => member.role)
  await tx.query(sql`insert into team_member (deployment_id, team_id, person_id, role)
    select ${tx.deploymentId}::bigint, ${teamId}::bigint, given.person_id, given.role
    from unnest(${ids}::bigint[], ${roles}::text[]) as given (person_id, role)
    on conflict (deployment_id, team_id, person_id) do update set role = excluded.role`)
}

/** The roles that these people have in the team already. */
export async function rolesOf(tx: Transaction, teamId: number, ids: number[]): Promise<Map<number, TeamRole>> {
  const rows = await tx.query<{ person_id: number; role: TeamRole }>(sql`select person_id, role from team_member
    where deployment_id = ${tx.deploymentId} and team_id = ${teamId} and person_id = any(${ids}::bigint[])`)
  return new Map(rows.map((row) => [row.person_id, row.role]))
}

export async function removeMembers(tx: Transaction, teamId: number, ids: number[]): Promise<void> {
  await tx.query(sql`delete from team_member
    where deployment_id = ${tx.deploymentId} and team_id = ${teamId} and person_id = any(${ids}::bigint[])`)
}

export async function keepOnlyMembers(tx: Transaction, teamId: number, ids: number[]): Promise<void> {
  await tx.query(sql`delete from team_member
    where deployment_id = ${tx.deploymentId} and team_id = ${teamId} and person_id <> all(${ids}::bigint[])`)
}

export function listRepositories(
  db: Queryable,
  actor: Actor,
  teamId: number,
  page: PageRequest,
): Promise<{ id: number; name: string }[]> {
  return db.query(sql`select r.id, r.name from team_repository held
    join repository r on r.deployment_id = held.deployment_id and r.id = held.repository_id
    where held.deployment_id = ${db.deploymentId} and held.team_id = ${teamId} and held.repository_id > ${page.after}
      and ${visibleTo(actor, sql`held.repository_id`)}
    order by held.repository_id limit ${page.size + 1}`)
}

export async function addRepositories(tx: Transaction, teamId: number, ids: number[]): Promise<void> {
  await tx.query(sql`insert into team_repository (deployment_id, team_id, repository_id)
    select ${tx.deploymentId}::bigint, ${teamId}::bigint, given.id from unnest(${ids}::bigint[]) as given (id)
    on conflict (deployment_id, team_id, repository_id) do update set by_hand = true where not team_repository.by_hand`)
}

/** Those of the repositories that the team has. */
export async function heldOf(tx: Transaction, teamId: number, ids: number[]): Promise<Set<number>> {
  const rows = await tx.query<{ repository_id: number }>(sql`select repository_id from team_repository
    where deployment_id = ${tx.deploymentId} and team_id = ${teamId} and repository_id = any(${ids}::bigint[])`)
  return new Set(rows.map((row) => row.repository_id))
}

export async function removeRepositories(tx: Transaction, teamId: number, ids: number[]): Promise<void> {
  await tx.query(sql`delete from team_repository
    where deployment_id = ${tx.deploymentId} and team_id = ${teamId} and repository_id = any(${ids}::bigint[])`)
}

/** Those that the team claims by their names stay. */
export async function keepOnlyRepositories(tx: Transaction, teamId: number, ids: number[]): Promise<void> {
  await tx.query(sql`delete from team_repository where deployment_id = ${tx.deploymentId} and team_id = ${teamId}
    and not claimed and repository_id <> all(${ids}::bigint[])`)
  await tx.query(sql`update team_repository set by_hand = false where deployment_id = ${tx.deploymentId}
    and team_id = ${teamId} and claimed and by_hand and repository_id <> all(${ids}::bigint[])`)
}
