import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'

/** How many dependencies of repository `i.repository_id` are under each licence; see the columns of `inventory_licences`. */
export function licencesOfInventory(deploymentId: number): Sql {
  return sql`select case when d.licence_id is not null then coalesce(named.id, '') end as licence, sum(d.count)::integer as count
    from (select d.licence_id, count(*) from dependency d
      where d.deployment_id = ${deploymentId} and d.repository_id = i.repository_id group by d.licence_id) d
    left join lateral (select l.spdx_ids from licence l
      where l.deployment_id = ${deploymentId} and l.id = d.licence_id offset 0) l on true
    left join lateral unnest(l.spdx_ids) named (id) on true
    group by 1`
}

/**
 * Counts at most so many repositories that are not counted yet, because they are new or the release before has uploaded to them,
 * and answers how many they were. What is counted and the scan it is of are read in one
 * statement, so they belong together. A repository that is being uploaded to, or deleted, is left for the next time.
 */
export async function countInventories(tx: Transaction, most: number): Promise<number> {
  const { deploymentId } = tx
  const rows = await tx.query(sql`with uncounted as materialized (
      select i.repository_id, i.scan_id from inventory i
      join repository r on r.deployment_id = ${deploymentId} and r.id = i.repository_id
      where i.deployment_id = ${deploymentId} and not exists (select 1 from inventory_licences c
        where c.deployment_id = ${deploymentId} and c.repository_id = i.repository_id and c.scan_id = i.scan_id)
      limit ${most} for key share of r skip locked)
    insert into inventory_licences (deployment_id, repository_id, scan_id, licences, dependency_counts)
    select ${deploymentId}::bigint, i.repository_id, i.scan_id, coalesce(counted.licences, '{}'), coalesce(counted.counts, '{}')
    from uncounted i cross join lateral (
      select array_agg(each.licence) as licences, array_agg(each.count) as counts
      from (${licencesOfInventory(deploymentId)}) each offset 0) counted
    on conflict (deployment_id, repository_id) do update set scan_id = excluded.scan_id, licences = excluded.licences,
      dependency_counts = excluded.dependency_counts
    returning repository_id`)
  return rows.length
}
