import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { repositoryIsWanted } from '../search/search.ts'
import { hasLicence } from '../search/sql-conditions.ts'

/** This many dependencies are read in a moment, whatever is asked of them. */
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

/** The first that may have what is asked for and have this many dependencies together, and whether there are others. */
export async function firstRepositories(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  most: number,
): Promise<FirstRepositories> {
  const { deploymentId } = db
  const { licences } = conditions
  const counted = sql`left join inventory_licences c on c.deployment_id = ${deploymentId} and c.repository_id = i.repository_id
    and c.scan_id = i.scan_id`
  const mayHaveLicence = licences ? sql`and (c.repository_id is null or ${hasLicence(deploymentId, licences)})` : empty
  const [row] = await db.query<FirstRepositories>(sql`with sized as materialized (
      select i.repository_id as id, sum(i.dependency_count) over (order by i.repository_id) - i.dependency_count as before
      from repository r join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id and i.dependency_count > 0
      ${licences ? counted : empty}
      where r.deployment_id = ${deploymentId} ${repositoryIsWanted(actor, conditions)} ${mayHaveLicence})
    select array(select id from sized where before < ${most}::bigint) as "repositoryIds",
      exists (select 1 from sized where before >= ${most}::bigint) as "atLeast"`)
  return row!
}
