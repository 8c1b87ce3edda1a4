import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { wantedRepositories } from '../packages/wanted-repositories.ts'
import type { Conditions } from '../search/conditions.ts'

/** Repositories that make the sums of a deployment differ from what is asked for. */
export type Differences = {
  /** They are asked for, and the sums do not have their inventory. */
  uncounted: readonly number[]
  /** The sums have an older inventory of them. */
  outdated: readonly number[]
  /** The sums have them, and they are not asked for: others' repositories, archived ones and those that are gone. */
  unwanted: readonly number[]
}

/** Undefined where it is less to count the repositories that are asked for, or the sums differ by more than `most` versions. */
export async function readDifferences(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  most: number,
): Promise<Differences | undefined> {
  const { deploymentId } = db
  const [row] = await db.query<Differences & { wanted: number; different: number }>(sql`with
    ${wantedRepositories(actor, conditions)},
    state as materialized (
      select i.repository_id as wanted_id, i.dependency_count, c.repository_id as counted_id, c.version_count,
        (i.scan_id = c.scan_id) is true as is_right
      from (select i.repository_id, i.scan_id, i.dependency_count from inventory i
        where i.deployment_id = ${deploymentId} and (i.repository_id in (select id from wanted_repository)) is true) i
      full join (select c.repository_id, c.scan_id, c.version_count from inventory_packages c
        where c.deployment_id = ${deploymentId}) c on c.repository_id = i.repository_id),
    size as materialized (
      select coalesce(sum(dependency_count), 0)::bigint as wanted,
        (coalesce(sum(dependency_count) filter (where not is_right), 0)
          + coalesce(sum(version_count) filter (where not is_right), 0))::bigint as different from state),
    each as materialized (
      select * from state where not is_right and (select different from size) <= ${most}::bigint)
    select wanted, different,
      array(select wanted_id from each where wanted_id is not null) as uncounted,
      array(select counted_id from each where counted_id = wanted_id) as outdated,
      array(select counted_id from each where counted_id is not null and wanted_id is null) as unwanted
    from size`)
  const { wanted, different, ...differences } = row!
  return different <= most && different < wanted ? differences : undefined
}

/**
 * Relations `uncounted` and `taken_out`: the repositories whose dependencies come on top of the sums, and the lists of those that
 * go off. Whether they still differ is looked at again, in the statement that reads the sums: an upload that was counted meanwhile
 * does not count twice, and one that was not is as if it had not come yet.
 */
export function differing(deploymentId: number, { uncounted, outdated, unwanted }: Differences): Sql {
  return sql`uncounted as materialized (
      select i.repository_id from inventory i
      where i.deployment_id = ${deploymentId} and i.repository_id = any(${uncounted}::bigint[])
        and not exists (select 1 from inventory_packages c where c.deployment_id = ${deploymentId}
          and c.repository_id = i.repository_id and c.scan_id = i.scan_id)),
    taken_out as materialized (
      select c.package_ids, c.package_counts, c.version_ids, c.version_counts from inventory_packages c
      where c.deployment_id = ${deploymentId} and (c.repository_id = any(${unwanted}::bigint[])
        or c.repository_id = any(${outdated}::bigint[]) and not exists (select 1 from inventory i
          where i.deployment_id = ${deploymentId} and i.repository_id = c.repository_id and i.scan_id = c.scan_id)))`
}
