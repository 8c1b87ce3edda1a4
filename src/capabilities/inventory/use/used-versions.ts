import sql, { type Sql } from 'sql-template-tag'
import type { Conditions } from '../search/conditions.ts'
import { dependencyIsWanted } from '../search/search.ts'
import type { CountingWay } from './counting-way.ts'
import { type Differences, differing } from './differences.ts'
import { listed } from './used-packages.ts'

/**
 * Relation `used`, of the versions in relation `asked` (`id`) of these packages: `version_id`, `repositories` and `dependencies`,
 * counted as their packages were.
 */
export function usedVersions(
  deploymentId: number,
  conditions: Conditions,
  packageIds: readonly number[],
  way: Exclude<CountingWay, { by: 'index' }>,
): Sql {
  if (way.by === 'sums') return bySums(deploymentId, packageIds, way.differences)
  if (way.by === 'lists') return byLists(deploymentId, packageIds, way.repositoryIds)
  return byRows(deploymentId, conditions, packageIds, way.repositoryIds)
}

const isAsked = (id: Sql) => sql`(${id} in (select id from asked)) is true`

function bySums(deploymentId: number, packageIds: readonly number[], differences: Differences): Sql {
  return sql`${differing(deploymentId, differences)},
    used as materialized (
      select each.version_id, sum(each.repositories)::bigint as repositories, sum(each.dependencies)::bigint as dependencies
      from (select u.package_version_id as version_id, u.repositories, u.dependencies from package_version_use u
        where u.deployment_id = ${deploymentId} and u.package_version_id = any(array(select id from asked))
        union all
        select unnest(version_ids), -1, -unnest(version_counts) from taken_out
        union all
        select each.version_id, 1, each.count from uncounted i
        cross join lateral (${versionsOfInventory(deploymentId, packageIds)} offset 0) each) each
      where ${isAsked(sql`each.version_id`)}
      group by each.version_id)`
}

function byLists(deploymentId: number, packageIds: readonly number[], repositoryIds: readonly number[]): Sql {
  return sql`${listed(deploymentId, repositoryIds, sql`c.version_ids, c.version_counts`)},
    used as materialized (
      select each.version_id, count(*) as repositories, sum(each.count)::bigint as dependencies from (
        select unnest(version_ids) as version_id, unnest(version_counts) as count from listed
        union all
        select each.version_id, each.count from listed i
        cross join lateral (${versionsOfInventory(deploymentId, packageIds)} offset 0) each where i.version_ids is null) each
      where ${isAsked(sql`each.version_id`)}
      group by each.version_id)`
}

function byRows(
  deploymentId: number,
  conditions: Conditions,
  packageIds: readonly number[],
  repositoryIds: readonly number[],
): Sql {
  return sql`used as materialized (
      select per.version_id, count(*) as repositories, sum(per.count)::bigint as dependencies from (
        select d.package_version_id as version_id, d.repository_id, count(*) from dependency d
        where d.deployment_id = ${deploymentId} and d.repository_id = any(${repositoryIds}::bigint[])
          and d.package_id = any(${packageIds}::bigint[]) ${dependencyIsWanted(deploymentId, conditions)}
        group by d.package_version_id, d.repository_id) per
      group by per.version_id)`
}

/** How many dependencies of repository `i.repository_id` are on each version of these packages. */
function versionsOfInventory(deploymentId: number, packageIds: readonly number[]): Sql {
  return sql`select d.package_version_id as version_id, count(*)::integer as count from dependency d
    where d.deployment_id = ${deploymentId} and d.repository_id = i.repository_id
      and d.package_id = any(${packageIds}::bigint[]) group by d.package_version_id`
}
