import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'
import { claimRepository, holdPatterns, settleRepository } from './claims/claim-store.ts'

export { mayBring } from './claims/claim-store.ts'

/** What a team sees that new repositories join, below it or itself. */
const holdsNewOnes = sql`(team.is_project_default or exists (select 1 from team child
    left join team grandchild on grandchild.deployment_id = child.deployment_id and grandchild.parent_team_id = child.id
    where child.deployment_id = team.deployment_id and child.parent_team_id = team.id
      and (child.is_project_default or grandchild.is_project_default)))`

/** Puts a new person into the teams meant for new people; where these are not to see everything, not into those that do. */
export async function joinDefaultTeams(tx: Transaction, personId: number): Promise<void> {
  await tx.query(sql`with joined as (
      update team set version = version + 1 where deployment_id = ${tx.deploymentId} and is_user_default
        and not (${holdsNewOnes} and exists (select 1 from deployment where id = ${tx.deploymentId} and new_people_see = 'teams'))
      returning id)
    insert into team_member (deployment_id, team_id, person_id, role)
    select ${tx.deploymentId}::bigint, joined.id, ${personId}::bigint, 'TEAM_ROLE_MEMBER' from joined on conflict do nothing`)
}

/**
 * Puts a new repository into the teams meant for new repositories and those that claim its name, so that who brings it sees it.
 * Where there is none of that id, nothing is done. Answers the teams.
 */
export async function joinTeamsWithRepository(tx: Transaction, repositoryId: number): Promise<number[]> {
  const [joined, claimed] = await Promise.all([
    tx.query<{ id: number }>(sql`insert into team_repository (deployment_id, team_id, repository_id)
      select ${tx.deploymentId}::bigint, team.id, r.id from team, repository r
      where team.deployment_id = ${tx.deploymentId} and team.is_project_default
        and r.deployment_id = team.deployment_id and r.id = ${repositoryId}
      on conflict do nothing returning team_id as id`),
    claimRepository(tx, repositoryId),
  ])
  return [...joined.map((team) => team.id), ...claimed]
}

/**
 * Looks at patterns again at the end of the transaction that made the repository, when nobody can be changing them. The versions of
 * its teams change then as well: an upload may take long, and every other one that creates a repository would wait for the teams.
 */
export function settleTeamsAtEnd(tx: Transaction, repositoryId: number, joined: readonly number[]): void {
  tx.atEnd(async () => {
    // What is sent behind the lock runs when it is held.
    const settled = Promise.all([holdPatterns(tx, 'together'), settleRepository(tx, repositoryId)])
    settled.catch(() => {})
    return [touched(tx, joined, repositoryId)]
  })
}

/** To be called before a repository that gets another name is held. */
export function holdClaims(tx: Transaction): Promise<void> {
  return holdPatterns(tx, 'together')
}

/** The repository has another name: it leaves the teams that claimed the old one and joins those that claim the new one. */
export async function settleClaims(tx: Transaction, repositoryId: number): Promise<void> {
  const changed = await settleRepository(tx, repositoryId)
  tx.atEnd(() => touchAll(tx, changed))
}

/** In one order everywhere, so that two transactions that do this wait for each other at most, and never in a circle. */
async function touchAll(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.query(touched(tx, ids))
}

/** Also the teams that have the repository, where one is named. */
function touched(tx: Transaction, ids: readonly number[], repositoryId = 0): Sql {
  return sql`with held as materialized (
      select id from team where deployment_id = ${tx.deploymentId} and (id = any(${ids}::bigint[])
        or id in (select team_id from team_repository
          where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId}))
      order by id for no key update)
    update team set version = version + 1
    where deployment_id = ${tx.deploymentId} and id = any(array(select id from held))`
}

/**
 * Takes a repository that is about to be deleted out of its teams, which are thereby at a new version. To be called
 * before the repository is locked: who changes a team locks the team first and its repositories second.
 */
export async function leaveTeams(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.query(sql`select id from team where deployment_id = ${tx.deploymentId} and id in (
      select team_id from team_repository
      where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId}) order by id for no key update`)
  await tx.query(sql`with left_behind as (
      delete from team_repository
      where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId} returning team_id)
    update team set version = version + 1
    where deployment_id = ${tx.deploymentId} and id in (select team_id from left_behind)`)
}

/**
 * Holds the teams of a person who is about to leave. To be called before the person's membership is held: who changes a team
 * holds the team first and the memberships second.
 */
export async function holdTeamsOf(tx: Transaction, personId: number): Promise<void> {
  await tx.query(sql`select id from team where deployment_id = ${tx.deploymentId} and id in (
      select team_id from team_member
      where deployment_id = ${tx.deploymentId} and person_id = ${personId}) order by id for no key update`)
}

/** Takes a person whose membership is held out of all teams, which are thereby at a new version. */
export async function leaveAllTeams(tx: Transaction, personId: number): Promise<void> {
  await tx.query(sql`with left_behind as (
      delete from team_member
      where deployment_id = ${tx.deploymentId} and person_id = ${personId} returning team_id)
    update team set version = version + 1
    where deployment_id = ${tx.deploymentId} and id in (select team_id from left_behind)`)
}

/** Holds the teams meant for new people. To be called before memberships are held, as above. */
export async function holdDefaultTeams(tx: Transaction): Promise<void> {
  await tx.query(sql`select id from team where deployment_id = ${tx.deploymentId} and is_user_default
    order by id for update`)
}

/**
 * Holds teams, those of the person and those meant for new people among them. To be called before memberships are held, as
 * above.
 */
export async function holdTeamsWithThoseOf(tx: Transaction, personId: number, ids: readonly number[]): Promise<void> {
  await tx.query(sql`select id from team where deployment_id = ${tx.deploymentId}
    and (is_user_default or id = any(${[...ids]}::bigint[]) or id in (select team_id from team_member
      where deployment_id = ${tx.deploymentId} and person_id = ${personId})) order by id for no key update`)
}

/** Holds these teams and those meant for new people, in one order. To be called before memberships are held, as above. */
export async function holdTeams(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query(sql`select id from team where deployment_id = ${tx.deploymentId}
    and (is_user_default or id = any(${[...ids]}::bigint[])) order by id for update`)
}

/** Those of the ids that are teams, kept from being removed until the transaction ends. */
export async function knownTeams(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(sql`select id from team where deployment_id = ${tx.deploymentId}
    and id = any(${[...ids]}::bigint[]) order by id for update`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Puts the people into those of the teams, which are held, that are named with them, and takes them out of the others. Roles in a
 * team stay; a team that was deleted since is passed over.
 */
export async function settleTeamMembers(
  tx: Transaction,
  teamIds: readonly number[],
  people: readonly { personId: number; teamIds: readonly number[] }[],
): Promise<{ joined: number[]; left: number[] }> {
  if (teamIds.length === 0) return { joined: [], left: [] }
  const pairs = people.flatMap(({ personId, teamIds }) => teamIds.map((teamId) => ({ personId, teamId })))
  const wanted = sql`select "teamId" as team_id, "personId" as person_id
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as given ("teamId" bigint, "personId" bigint)`
  const left = await tx.query<{ id: number }>(sql`delete from team_member
    where deployment_id = ${tx.deploymentId} and team_id = any(${[...teamIds]}::bigint[])
      and person_id = any(${people.map(({ personId }) => personId)}::bigint[])
      and (team_id, person_id) not in (${wanted}) returning team_id as id`)
  const joined = await tx.query<{ id: number }>(sql`insert into team_member (deployment_id, team_id, person_id, role)
    select ${tx.deploymentId}::bigint, wanted.team_id, wanted.person_id, 'TEAM_ROLE_MEMBER' from (${wanted}) as wanted
    join team on team.deployment_id = ${tx.deploymentId} and team.id = wanted.team_id
    on conflict do nothing returning team_id as id`)
  const changed = { joined: joined.map(({ id }) => id), left: left.map(({ id }) => id) }
  await touchAll(tx, [...new Set([...changed.left, ...changed.joined])])
  return changed
}

/** Teams (`slug`, `name`) that have a repository, and those above them, once each, as a query: those that it is found by. */
export function teamsOfRepository(deploymentId: number, repositoryId: Sql): Sql {
  return sql`select distinct above.slug, above.name from team_repository held
    join team t on t.deployment_id = held.deployment_id and t.id = held.team_id
    left join team parent on parent.deployment_id = t.deployment_id and parent.id = t.parent_team_id
    join team above on above.deployment_id = t.deployment_id
      and above.id in (t.id, t.parent_team_id, parent.parent_team_id)
    where held.deployment_id = ${deploymentId} and held.repository_id = ${repositoryId}`
}

/** Repositories of the teams, by slug or name, and of those below them, as a query; a tree has three levels. */
export function repositoriesOfTeams(deploymentId: number, teams: readonly string[]): Sql {
  const below = sql`select t.id from team t
    left join team parent on parent.deployment_id = t.deployment_id and parent.id = t.parent_team_id
    left join team top on top.deployment_id = parent.deployment_id and top.id = parent.parent_team_id
    where t.deployment_id = ${deploymentId}
      and array[t.slug, t.name, parent.slug, parent.name, top.slug, top.name] && ${teams}::text[]`
  return sql`select held.repository_id from team_repository held
    where held.deployment_id = ${deploymentId} and held.team_id in (${below})`
}
