import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { KnownOfVersion } from '../packages/known-of-version.ts'
import { wantedRepositories } from '../packages/wanted-repositories.ts'
import type { Conditions, PackageCriteria } from '../search/conditions.ts'
import { dependencyIsWanted, idsOf } from '../search/search.ts'
import { packagesWanted, rowIsWanted, versionsWanted } from '../search/sql-conditions.ts'
import { type Differences, differing } from './differences.ts'
import { packagesOfInventory } from './use-store.ts'

/*
 * Each gives relation `used` to a statement: packages with how many repositories and dependencies have them, `package_id`,
 * `repositories` and `dependencies`.
 */

/** Of a page: what comes first by its use. `rank` takes the name of a relation, `past` says what comes after the page before. */
export type RankedPage = { rank: (of: Sql) => Sql; past: (of: Sql) => Sql; way: Sql; limit: number }

/** The first of the sums that nothing differs from, by their index, and what differs as it comes to be. */
export function usedBySums(
  deploymentId: number,
  conditions: Conditions,
  differences: Differences,
  { rank, past, way, limit }: RankedPage,
): Sql {
  const named = isNamed(deploymentId, conditions)
  const first = sql`d.repositories > 0 ${past(sql`d`)} ${named}
    order by ${rank(sql`d`)} ${way}, d.name ${way}, d.ecosystem ${way} limit ${limit}`
  return sql`${differing(deploymentId, differences)},
    difference as materialized (
      select each.package_id, sum(each.repositories)::bigint as repositories, sum(each.dependencies)::bigint as dependencies
      from (select unnest(package_ids) as package_id, -1 as repositories, -unnest(package_counts) as dependencies from taken_out
        union all
        select each.package_id, 1, each.count from uncounted i
        cross join lateral (${packagesOfInventory(deploymentId)} offset 0) each) each
      group by each.package_id),
    changed as materialized (
      select p.id as package_id, p.name, p.ecosystem, coalesce(u.repositories, 0) + difference.repositories as repositories,
        coalesce(u.dependencies, 0) + difference.dependencies as dependencies
      from difference
      cross join lateral (select p.id, p.name, p.ecosystem from package p
        where p.deployment_id = ${deploymentId} and p.id = difference.package_id offset 0) p
      left join lateral (select u.repositories, u.dependencies from package_use u
        where u.deployment_id = ${deploymentId} and u.package_id = difference.package_id offset 0) u on true),
    used as materialized (
      (select d.package_id, d.repositories, d.dependencies from package_use d where d.deployment_id = ${deploymentId}
        and (d.package_id in (select package_id from difference)) is not true and ${first})
      union all
      (select d.package_id, d.repositories, d.dependencies from changed d where ${first}))`
}

/** From the lists of what repositories have; where there is none for their inventory, from their dependencies. */
export function usedByLists(deploymentId: number, conditions: Conditions, repositoryIds: readonly number[]): Sql {
  return sql`${listed(deploymentId, repositoryIds, sql`c.package_ids, c.package_counts`)},
    used as materialized (
      select d.package_id, count(*) as repositories, sum(d.count)::bigint as dependencies from (
        select unnest(package_ids) as package_id, unnest(package_counts) as count from listed
        union all
        select each.package_id, each.count from listed i
        cross join lateral (${packagesOfInventory(deploymentId)} offset 0) each where i.package_ids is null) d
      where true ${isNamed(deploymentId, conditions)}
      group by d.package_id)`
}

/** Relation `listed`: these repositories with the given columns of their list `c`, null where it is not that of their inventory. */
export function listed(deploymentId: number, repositoryIds: readonly number[], columns: Sql): Sql {
  return sql`listed as materialized (
      select i.repository_id, ${columns} from inventory i
      left join inventory_packages c on c.deployment_id = ${deploymentId} and c.repository_id = i.repository_id
        and c.scan_id = i.scan_id
      where i.deployment_id = ${deploymentId} and i.repository_id = any(${repositoryIds}::bigint[]))`
}

/** From the dependencies of these repositories; of versions of which something is known, where that is asked for. */
export function usedByRows(
  deploymentId: number,
  conditions: Conditions,
  repositoryIds: readonly number[],
  onlyKnown: KnownOfVersion | undefined,
): Sql {
  const there = sql`d.deployment_id = ${deploymentId} and d.repository_id = any(${repositoryIds}::bigint[])`
  const known = onlyKnown
    ? sql`known as materialized (select v.id from (select distinct d.package_version_id as id from dependency d where ${there}) one
        join package_version v on v.deployment_id = ${deploymentId} and v.id = one.id
        join package p on p.deployment_id = ${deploymentId} and p.id = v.package_id
        where v.version <> '' and ${onlyKnown(sql`p.name`, sql`p.ecosystem`, sql`v.order_key`)} is not null),`
    : empty
  const isKnown = onlyKnown ? sql`and (d.package_version_id in (select id from known)) is true` : empty
  return sql`${known}
    used as materialized (
      select per.package_id, count(*) as repositories, sum(per.count)::bigint as dependencies from (
        select d.package_id, d.repository_id, count(*) from dependency d
        where ${there} ${isKnown} ${dependencyIsWanted(deploymentId, conditions)}
        group by d.package_id, d.repository_id) per
      group by per.package_id)`
}

/** Along the index of versions; relation `progress` says whether that is too broad. */
export function usedByIndex(actor: Actor, conditions: Conditions, packages: PackageCriteria, most: number): Sql {
  const { deploymentId } = actor
  return sql`${wantedRepositories(actor, conditions)},
    wanted as materialized (${idsOf(versionsWanted(deploymentId, packages))}),
    along_index as materialized (
      select d.repository_id, d.package_version_id from dependency d where not (select broad from wanted)
        and d.deployment_id = ${deploymentId} and d.package_version_id = any((select ids from wanted)::bigint[])
        ${rowIsWanted(deploymentId, conditions)} limit ${most + 1}),
    progress as materialized (
      select (select broad from wanted) or (select count(*) from along_index) > ${most} as broad),
    version_of_repository as materialized (
      select repository_id, package_version_id, count(*) from along_index
      where not (select broad from progress) and (repository_id in (select id from wanted_repository)) is true
      group by repository_id, package_version_id),
    used as materialized (
      select per.package_id, count(*) as repositories, sum(per.count)::bigint as dependencies from (
        select v.package_id, each.repository_id, sum(each.count) as count from version_of_repository each
        join (select v.id, v.package_id from package_version v
          where v.deployment_id = ${deploymentId} and v.id = any((select ids from wanted)::bigint[]) offset 0) v
          on v.id = each.package_version_id
        group by v.package_id, each.repository_id) per
      group by per.package_id)`
}

function isNamed(deploymentId: number, { packages }: Conditions): Sql {
  return packages ? packagesWanted(deploymentId, packages) : empty
}
