import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { repositoryIsWanted } from '../search/search.ts'

/** So many dependencies are read in a moment, whatever is asked of them. */
const few = 20_000

/** Relation `wanted_repository`: the repositories that the actor sees and the filter takes. */
export function wantedRepositories(actor: Actor, conditions: Conditions): Sql {
  return sql`wanted_repository as materialized (select r.id from repository r
    where r.deployment_id = ${actor.deploymentId} ${repositoryIsWanted(actor, conditions)})`
}

/** Whether the repositories have so many dependencies that packages are sooner found by their names. Their sums are kept. */
export async function isWide(db: Queryable, actor: Actor, conditions: Conditions): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(sql`select coalesce(sum(i.dependency_count), 0)::bigint as count
    from repository r join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id
    where r.deployment_id = ${db.deploymentId} ${repositoryIsWanted(actor, conditions)}`)
  return row!.count > few
}

export type FirstRepositories = { repositoryIds: readonly number[]; atLeast: boolean }

/** The first that have so many dependencies together, and whether there are others. */
export async function firstRepositories(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  most: number,
): Promise<FirstRepositories> {
  const [row] = await db.query<FirstRepositories>(sql`with sized as materialized (
      select i.repository_id as id, sum(i.dependency_count) over (order by i.repository_id) - i.dependency_count as before
      from repository r join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id and i.dependency_count > 0
      where r.deployment_id = ${db.deploymentId} ${repositoryIsWanted(actor, conditions)})
    select array(select id from sized where before < ${most}::bigint) as "repositoryIds",
      exists (select 1 from sized where before >= ${most}::bigint) as "atLeast"`)
  return row!
}
