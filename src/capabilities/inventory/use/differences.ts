import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { repositoryIsWanted } from '../search/search.ts'

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
  const isDifferent = sql`(i.scan_id = c.scan_id) is not true`
  const ids = (column: Sql) =>
    sql`case when different <= ${most}::bigint then coalesce(${column}, '{}') end as ${column}`
  const [row] = await db.query<Differences & { wanted: number; different: number }>(sql`
    select wanted, different, ${ids(sql`uncounted`)}, ${ids(sql`outdated`)}, ${ids(sql`unwanted`)} from (
      select coalesce(sum(i.dependency_count), 0)::bigint as wanted,
        coalesce(sum(coalesce(i.dependency_count, 0) + coalesce(c.version_count, 0)) filter (where ${isDifferent}), 0)::bigint as different,
        array_agg(i.repository_id) filter (where i.repository_id is not null and ${isDifferent}) as uncounted,
        array_agg(c.repository_id) filter (where c.repository_id = i.repository_id and ${isDifferent}) as outdated,
        array_agg(c.repository_id) filter (where i.repository_id is null) as unwanted
      from (select i.repository_id, i.scan_id, i.dependency_count
        from repository r join inventory i on i.deployment_id = ${deploymentId} and i.repository_id = r.id
        where r.deployment_id = ${deploymentId} ${repositoryIsWanted(actor, conditions)}) i
      full join (select c.repository_id, c.scan_id, c.version_count from inventory_packages c
        where c.deployment_id = ${deploymentId}) c on c.repository_id = i.repository_id) found`)
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
