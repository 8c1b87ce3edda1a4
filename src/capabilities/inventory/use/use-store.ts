import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'

/** How many dependencies of repository `i.repository_id` are on each package. */
export function packagesOfInventory(deploymentId: number): Sql {
  return sql`select d.package_id, count(*)::integer as count from dependency d
    where d.deployment_id = ${deploymentId} and d.repository_id = i.repository_id group by d.package_id`
}

/** Whether the inventory of a repository is not that of its count, because it is new, gone or archived. */
export async function hasUncounted(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>(
    sql`select exists (select 1 from (${uncounted(db.deploymentId)}) each) as has`,
  )
  return row!.has
}

/** One count of a deployment at a time: a second one would bring the same change again. */
async function lockCounting(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('inventory.use', ${tx.deploymentId}::bigint))`)
}

/**
 * Counts at most so many of these repositories and answers how many they were. What each had before is taken out of the sums, and
 * what it has is added. All of it is read in one statement, so it belongs together.
 */
export async function countUse(tx: Transaction, most: number): Promise<number> {
  const { deploymentId } = tx
  await lockCounting(tx)
  const [row] = await tx.query<{
    changed: number
  }>(sql`with changed as materialized (${uncounted(deploymentId)} limit ${most}),
    version_now as materialized (
      select i.repository_id, each.* from changed i cross join lateral (
        select d.package_id, d.package_version_id, count(*)::integer as count from dependency d
        where d.deployment_id = ${deploymentId} and d.repository_id = i.repository_id
        group by d.package_id, d.package_version_id offset 0) each
      where i.scan_id is not null),
    package_now as materialized (
      select repository_id, package_id, sum(count)::integer as count from version_now group by repository_id, package_id),
    moved_packages as (
      insert into package_use as known (deployment_id, package_id, repositories, dependencies, name, ecosystem)
      select ${deploymentId}::bigint, moved.package_id, moved.repositories, moved.dependencies, p.name, p.ecosystem
      from (select package_id, sum(repositories)::bigint as repositories, sum(dependencies)::bigint as dependencies from (
          select package_id, 1 as repositories, count as dependencies from package_now
          union all select unnest(package_ids), -1, -unnest(package_counts) from changed) each
        group by package_id having sum(repositories) <> 0 or sum(dependencies) <> 0) moved
      cross join lateral (select p.name, p.ecosystem from package p
        where p.deployment_id = ${deploymentId} and p.id = moved.package_id offset 0) p
      on conflict (deployment_id, package_id) do update set repositories = known.repositories + excluded.repositories,
        dependencies = known.dependencies + excluded.dependencies ${rowsNotCopied}),
    moved_versions as (
      insert into package_version_use as known (deployment_id, package_version_id, repositories, dependencies)
      select ${deploymentId}::bigint, version_id, sum(repositories)::bigint, sum(dependencies)::bigint from (
        select package_version_id as version_id, 1 as repositories, count as dependencies from version_now
        union all select unnest(version_ids), -1, -unnest(version_counts) from changed) each
      group by version_id having sum(repositories) <> 0 or sum(dependencies) <> 0
      on conflict (deployment_id, package_version_id) do update set repositories = known.repositories + excluded.repositories,
        dependencies = known.dependencies + excluded.dependencies ${rowsNotCopied}),
    gone as (
      delete from inventory_packages c using changed
      where c.deployment_id = ${deploymentId} and c.repository_id = changed.repository_id and changed.scan_id is null
      returning 1),
    counted as (
      insert into inventory_packages (deployment_id, repository_id, scan_id, version_count, package_ids, package_counts,
        version_ids, version_counts)
      select ${deploymentId}::bigint, i.repository_id, i.scan_id, coalesce(v.total, 0), coalesce(p.ids, '{}'),
        coalesce(p.counts, '{}'), coalesce(v.ids, '{}'), coalesce(v.counts, '{}')
      from changed i
      left join (select repository_id, array_agg(package_id order by package_id) as ids,
          array_agg(count order by package_id) as counts
        from package_now group by repository_id) p on p.repository_id = i.repository_id
      left join (select repository_id, count(*)::integer as total, array_agg(package_version_id order by package_version_id) as ids,
          array_agg(count order by package_version_id) as counts
        from version_now group by repository_id) v on v.repository_id = i.repository_id
      where i.scan_id is not null
      on conflict (deployment_id, repository_id) do update set scan_id = excluded.scan_id,
        version_count = excluded.version_count, package_ids = excluded.package_ids, package_counts = excluded.package_counts,
        version_ids = excluded.version_ids, version_counts = excluded.version_counts ${rowsNotCopied})
    select count(*) as changed from changed`)
  return row!.changed
}

/** Repositories to count: the scan of their inventory, null where they are gone or archived, and what was counted of them before. */
function uncounted(deploymentId: number): Sql {
  return sql`select coalesce(i.repository_id, c.repository_id) as repository_id, i.scan_id, c.package_ids, c.package_counts,
      c.version_ids, c.version_counts
    from (select i.repository_id, i.scan_id from inventory i
      join repository r on r.deployment_id = ${deploymentId} and r.id = i.repository_id and not r.archived
      where i.deployment_id = ${deploymentId}) i
    full join (select * from inventory_packages where deployment_id = ${deploymentId}) c on c.repository_id = i.repository_id
    where c.scan_id is distinct from i.scan_id`
}
