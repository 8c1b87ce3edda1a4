import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type Conditions, isSearchedByIndex } from '../search/conditions.ts'
import { foundByIndex, foundByRepository, repositoryIsWanted } from '../search/search.ts'

export type DependencyCounts = {
  repositories: number
  /** Of those, where the repository itself asks for one. */
  directRepositories: number
  packages: number
  versions: number
  dependencies: number
}

const everyRepository = { from: 0, width: 2_147_483_647 }

/** How much there is of what is asked for. Counted by repository and version first, so that nothing has to be sorted. */
export async function countDependencies(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
): Promise<DependencyCounts> {
  const columns = sql`d.repository_id, d.package_id, d.package_version_id, d.transitivity`
  for (const found of isSearchedByIndex(conditions) ? [foundByIndex, foundByRepository] : [foundByRepository]) {
    const [row] = await db.query<
      DependencyCounts & { broad: boolean }
    >(sql`${found(actor, conditions, everyRepository, columns)},
      counted as materialized (
        select f.repository_id, f.package_id, f.package_version_id, count(*), bool_or(f.transitivity = 'D') as direct
        from found f group by f.repository_id, f.package_id, f.package_version_id),
      per_repository as materialized (
        select c.repository_id as id, bool_or(c.direct) as direct from counted c group by c.repository_id),
      visible as materialized (
        select p.* from per_repository p join repository r on r.deployment_id = ${db.deploymentId} and r.id = p.id
          ${repositoryIsWanted(actor, conditions)}),
      seen as materialized (select * from counted c where (c.repository_id in (select id from visible)) is true)
      select (select broad from progress) as broad, (select count(*) from visible) as repositories,
        (select count(*) from visible where direct) as "directRepositories",
        (select count(*) from (select 1 from seen group by package_id) one) as packages,
        (select count(*) from (select 1 from seen group by package_version_id) one) as versions,
        (select coalesce(sum(count), 0)::bigint from seen) as dependencies`)
    if (row && !row.broad) return row
  }
  throw new Error('a search by repository is never too broad')
}

export type Searched = {
  repositories: number
  dependencies: number
  withoutInventory: number
  oldestInventoryAt: Date | null
}

/** What a question looks at, so that a "no" can be believed. */
export async function countSearched(db: Queryable, actor: Actor, conditions: Conditions): Promise<Searched> {
  const [row] = await db.query<Searched>(sql`select count(i.repository_id) as repositories,
      coalesce(sum(i.dependency_count), 0)::bigint as dependencies, count(*) - count(i.repository_id) as "withoutInventory",
      min(i.updated_at) as "oldestInventoryAt"
    from repository r left join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id
    where r.deployment_id = ${db.deploymentId} ${repositoryIsWanted(actor, conditions)}`)
  return row!
}
