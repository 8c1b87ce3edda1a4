import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'

/** Puts a new person into the teams meant for new people. */
export async function joinDefaultTeams(tx: Transaction, personId: number): Promise<void> {
  await tx.query(sql`with joined as (
      update team set version = version + 1 where deployment_id = ${tx.deploymentId} and is_user_default returning id)
    insert into team_member (deployment_id, team_id, person_id, role)
    select ${tx.deploymentId}::bigint, joined.id, ${personId}::bigint, 'TEAM_ROLE_MEMBER' from joined on conflict do nothing`)
}

/**
 * Puts a new repository into the teams meant for new repositories. Their versions change at the end: an upload that creates a
 * repository may take long, and every other one that does so would wait for the teams.
 */
export async function joinDefaultTeamsWithRepository(tx: Transaction, repositoryId: number): Promise<void> {
  const joined = await tx.query<{ id: number }>(sql`insert into team_repository (deployment_id, team_id, repository_id)
    select ${tx.deploymentId}::bigint, team.id, ${repositoryId}::bigint from team
    where team.deployment_id = ${tx.deploymentId} and team.is_project_default
    on conflict do nothing returning team_id as id`)
  tx.atEnd(() =>
    touchAll(
      tx,
      joined.map((team) => team.id),
    ),
  )
}

/** In one order everywhere, so that two transactions that do this wait for each other at most, and never in a circle. */
async function touchAll(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`with held as materialized (
      select id from team where deployment_id = ${tx.deploymentId} and id = any(${ids}::bigint[])
      order by id for no key update)
    update team set version = version + 1
    where deployment_id = ${tx.deploymentId} and id = any(array(select id from held))`)
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
