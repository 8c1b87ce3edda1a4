import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type Conditions, isSearchedByIndex, takesEveryDependency } from '../search/conditions.ts'
import { everyRepository, foundByIndex, foundByRepository, repositoryIsWanted } from '../search/search.ts'

export type DependencyCounts = {
  repositories: number
  /** Of those, where the repository itself asks for one. */
  directRepositories: number
  packages: number
  versions: number
  dependencies: number
  /** Whether there may be more: not everything was looked at. */
  atLeast: boolean
}

/** This many dependencies are looked at in some tenths of a second; a few hundred repositories have them. */
const mostCounted = 200_000

/**
 * How much there is of what is asked for, exactly where an index leads to few of them or where the repositories have few. Otherwise
 * the first repositories are looked at, and there is at least so much. Counted by repository and version first, so that nothing has
 * to be sorted.
 */
export async function countDependencies(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  most = mostCounted,
): Promise<DependencyCounts> {
  const ways = isSearchedByIndex(conditions) ? [byIndex(db.deploymentId), byRepository] : [byRepository]
  for (const { found, packageId, packages } of ways) {
    const columns = sql`d.repository_id, ${packageId} as package_id, d.package_version_id, d.transitivity`
    const [row] = await db.query<
      DependencyCounts & { broad: boolean }
    >(sql`${found(actor, conditions, everyRepository, columns, most)},
      counted as materialized (
        select f.repository_id, f.package_id, f.package_version_id, count(*), bool_or(f.transitivity = 'D') as direct
        from found f group by f.repository_id, f.package_id, f.package_version_id),
      per_repository as materialized (
        select c.repository_id as id, bool_or(c.direct) as direct from counted c group by c.repository_id),
      visible as materialized (
        select p.* from per_repository p join repository r on r.deployment_id = ${db.deploymentId} and r.id = p.id
          ${repositoryIsWanted(actor, conditions)}),
      seen as materialized (select * from counted c where (c.repository_id in (select id from visible)) is true),
      version as materialized (select package_version_id as id from seen group by package_version_id)
      select (select broad from progress) as broad, (select up_to is not null from progress) as "atLeast",
        (select count(*) from visible) as repositories,
        (select count(*) from visible where direct) as "directRepositories",
        (select count(*) from (${packages}) one) as packages,
        (select count(*) from version) as versions,
        (select coalesce(sum(count), 0)::bigint from seen) as dependencies`)
    if (!row) continue
    const { broad, ...counts } = row
    if (broad) continue
    return counts.atLeast && takesEveryDependency(conditions)
      ? { ...counts, ...(await sumInventories(db, actor, conditions)) }
      : counts
  }
  throw new Error('a search by repository is never too broad')
}

/** The index of versions does not have their package, and a visit to the table for each dependency costs more than one for each version. */
function byIndex(deploymentId: number) {
  const packages = sql`select 1 from version
    cross join lateral (select v.package_id from package_version v
      where v.deployment_id = ${deploymentId} and v.id = version.id offset 0) v group by v.package_id`
  return { found: foundByIndex, packageId: sql`null::bigint`, packages }
}

const byRepository = {
  found: foundByRepository,
  packageId: sql`d.package_id`,
  packages: sql`select 1 from seen group by package_id`,
}

/** Whatever their dependencies are: their sums are kept with their inventories. */
async function sumInventories(db: Queryable, actor: Actor, conditions: Conditions) {
  const [row] = await db.query<Pick<DependencyCounts, 'repositories' | 'dependencies'>>(sql`
    select count(*) as repositories, coalesce(sum(i.dependency_count), 0)::bigint as dependencies from repository r
    join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id and i.dependency_count > 0
    where r.deployment_id = ${db.deploymentId} ${repositoryIsWanted(actor, conditions)}`)
  return row!
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
