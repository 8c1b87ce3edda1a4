import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'

/**
 * Whoever changes patterns holds this alone, whoever names a repository shares it with others, at the end of their
 * transaction: one of the two sees what the other did.
 */
export async function holdPatterns(tx: Transaction, how: 'alone' | 'together'): Promise<void> {
  const key = sql`hashtext('gatehouse.team_patterns'), hashtext(${String(tx.deploymentId)})`
  await tx.query(
    how === 'alone' ? sql`select pg_advisory_xact_lock(${key})` : sql`select pg_advisory_xact_lock_shared(${key})`,
  )
}

export async function listPatterns(db: Queryable, teamId: number): Promise<string[]> {
  const rows = await db.query<{ pattern: string }>(sql`select pattern from team_pattern
    where deployment_id = ${db.deploymentId} and team_id = ${teamId} order by pattern collate "C"`)
  return rows.map(({ pattern }) => pattern)
}

export async function findMembersCreate(db: Queryable, teamId: number): Promise<boolean> {
  const [row] = await db.query<{ allowed: boolean }>(sql`select members_create as allowed from team
    where deployment_id = ${db.deploymentId} and id = ${teamId}`)
  return row?.allowed ?? false
}

export async function countPatterns(tx: Transaction, exceptTeamId: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*) as count from team_pattern
    where deployment_id = ${tx.deploymentId} and team_id <> ${exceptTeamId}`)
  return row!.count
}

export async function replacePatterns(
  tx: Transaction,
  teamId: number,
  patterns: readonly { pattern: string; expression: string }[],
  membersCreate: boolean,
): Promise<void> {
  await tx.query(sql`delete from team_pattern where deployment_id = ${tx.deploymentId} and team_id = ${teamId}`)
  await tx.query(sql`insert into team_pattern (deployment_id, team_id, pattern, expression)
    select ${tx.deploymentId}::bigint, ${teamId}::bigint, given.pattern, given.expression
    from unnest(${patterns.map((each) => each.pattern)}::text[], ${patterns.map((each) => each.expression)}::text[])
      as given (pattern, expression) ${rowsNotCopied}`)
  await tx.query(sql`update team set members_create = ${membersCreate}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${teamId}`)
}

/** The repository that stands for package clients has a name, but no code that a team could own. */
const isClaimed = sql`r.kind = 'code' and exists (select 1 from team_pattern p where p.deployment_id = r.deployment_id
  and p.team_id = t.id and r.name ~ p.expression)`

/** Makes one team's claims what its patterns say. */
export async function settleTeam(tx: Transaction, teamId: number): Promise<void> {
  const matched = sql`select r.id from repository r, (select ${teamId}::bigint as id) t
    where r.deployment_id = ${tx.deploymentId} and ${isClaimed}`
  await tx.query(sql`delete from team_repository held where held.deployment_id = ${tx.deploymentId}
    and held.team_id = ${teamId} and held.claimed and not held.by_hand and held.repository_id not in (${matched})`)
  await tx.query(sql`update team_repository held set claimed = false where held.deployment_id = ${tx.deploymentId}
    and held.team_id = ${teamId} and held.claimed and held.repository_id not in (${matched})`)
  await tx.query(sql`insert into team_repository (deployment_id, team_id, repository_id, by_hand, claimed)
    select ${tx.deploymentId}::bigint, ${teamId}::bigint, matched.id, false, true from (${matched}) matched order by matched.id
    on conflict (deployment_id, team_id, repository_id) do update set claimed = true where not team_repository.claimed`)
}

/** Makes the claims of all teams to one repository what their patterns say. Answers the teams that it joined or left. */
export async function settleRepository(tx: Transaction, repositoryId: number): Promise<number[]> {
  const matched = teamsThatClaim(tx, repositoryId)
  // One round trip: they run in this order.
  const [left, , joined] = await Promise.all([
    tx.query<{ id: number }>(sql`delete from team_repository held
      where held.deployment_id = ${tx.deploymentId} and held.repository_id = ${repositoryId} and held.claimed
        and not held.by_hand and held.team_id not in (${matched}) returning held.team_id as id`),
    tx.query(sql`update team_repository held set claimed = false where held.deployment_id = ${tx.deploymentId}
      and held.repository_id = ${repositoryId} and held.claimed and held.team_id not in (${matched})`),
    claimRepository(tx, repositoryId),
  ])
  return [...left.map(({ id }) => id), ...joined]
}

/** Gives a repository to the teams that claim its name, and takes it from none. Answers those that it joined. */
export async function claimRepository(tx: Transaction, repositoryId: number): Promise<number[]> {
  const joined = await tx.query<{ id: number }>(sql`insert into team_repository
      (deployment_id, team_id, repository_id, by_hand, claimed)
    select ${tx.deploymentId}::bigint, matched.id, ${repositoryId}::bigint, false, true
    from (${teamsThatClaim(tx, repositoryId)}) matched order by matched.id
    on conflict (deployment_id, team_id, repository_id) do update set claimed = true where not team_repository.claimed
    returning team_id as id`)
  return joined.map(({ id }) => id)
}

function teamsThatClaim(tx: Transaction, repositoryId: number): Sql {
  return sql`select t.id from team t, repository r where t.deployment_id = ${tx.deploymentId}
    and r.deployment_id = t.deployment_id and r.id = ${repositoryId} and ${isClaimed}`
}

/** Whether a team that the person works in claims the name and lets its members bring such repositories. */
export async function mayBring(db: Queryable, personId: number, name: string): Promise<boolean> {
  const rows = await db.query(sql`select from team_member member
    join team t on t.deployment_id = member.deployment_id and t.id = member.team_id and t.members_create
    join team_pattern p on p.deployment_id = t.deployment_id and p.team_id = t.id
    where member.deployment_id = ${db.deploymentId} and member.person_id = ${personId}
      and member.role <> 'TEAM_ROLE_READONLY' and ${name} ~ p.expression limit 1`)
  return rows.length > 0
}

/** Those of the repositories that the team has by a pattern. */
export async function claimedOf(tx: Transaction, teamId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(sql`select repository_id as id from team_repository
    where deployment_id = ${tx.deploymentId} and team_id = ${teamId} and claimed
      and repository_id = any(${[...ids]}::bigint[])`)
  return new Set(rows.map(({ id }) => id))
}
