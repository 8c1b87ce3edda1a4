import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { dependencyIsWanted } from '../search/search.ts'
import { packageIsWanted } from '../search/sql-conditions.ts'
import { isWide, wantedRepositories } from './wanted-repositories.ts'

export type PackageRow = {
  id: number
  ecosystem: string
  /** Normalised; `shownName` is how files write it. */
  name: string
  shownName: string
  repositories: number
  dependencies: number
}

export type PackageSort = 'name' | 'repositories' | 'dependencies'
export type PackageOrder = { by: PackageSort; direction: 'asc' | 'desc' }
/** Where the page before ended; `rank` is what it is sorted by, 0 where that is the name. */
export type PackagePosition = { rank: number; name: string; ecosystem: string }

/** What somebody else knows about a version, as a scalar of SQL that is null where they know nothing of it. */
export type KnownOfVersion = (name: Sql, ecosystem: Sql, orderKey: Sql) => Sql

export type PackageSearch = {
  conditions: Conditions
  /** Only versions of which this is not null. */
  onlyKnown: KnownOfVersion | undefined
  order: PackageOrder
  after: PackagePosition | undefined
  limit: number
}

const growth = 4

/**
 * The packages that repositories have, each once. By name they are read along their index, as many as fill a page: the cost of
 * a page does not depend on how many there are. What is sorted by its use has to be counted as a whole.
 */
export async function searchPackages(db: Queryable, actor: Actor, search: PackageSearch): Promise<PackageRow[]> {
  if (search.order.by !== 'name' || !(await isWide(db, actor, search.conditions))) {
    return db.query(countedWhole(db.deploymentId, actor, search))
  }
  const rows: PackageRow[] = []
  let { after } = search
  for (let width = search.limit * 2; ; width *= growth) {
    const limit = search.limit - rows.length
    const found = await db.query<PackageRow & { lastName: string | null; lastEcosystem: string }>(
      alongNames(db.deploymentId, actor, { ...search, after, limit }, width),
    )
    rows.push(...found.filter((row) => row.id !== null))
    const [{ lastName, lastEcosystem } = { lastName: null, lastEcosystem: '' }] = found
    if (rows.length >= search.limit || lastName === null) return rows
    after = { rank: 0, name: lastName, ecosystem: lastEcosystem }
  }
}

/** A stretch of packages in the order of their names, with what is used of each; and where the stretch ends, if it does. */
function alongNames(deploymentId: number, actor: Actor, search: PackageSearch, width: number): Sql {
  const { conditions, onlyKnown, after, order, limit } = search
  const { way, beyond } = directionOf(order)
  const past = after ? sql`and (p.name, p.ecosystem) ${beyond} (${after.name}, ${after.ecosystem})` : empty
  const named = conditions.packages ? packageIsWanted(deploymentId, conditions.packages) : empty
  const known = onlyKnown
    ? sql`and v.version <> '' and ${onlyKnown(sql`c.name`, sql`c.ecosystem`, sql`v.order_key`)} is not null`
    : empty
  return sql`with ${wantedRepositories(actor, conditions)},
    candidate as materialized (
      select p.id, p.ecosystem, p.name, p.shown_name as "shownName" from package p
      where p.deployment_id = ${deploymentId} ${past} ${named} order by p.name ${way}, p.ecosystem ${way} limit ${width}),
    progress as materialized (
      select name as "lastName", ecosystem as "lastEcosystem" from candidate
      where (select count(*) from candidate) = ${width} order by name ${reversed(order)}, ecosystem ${reversed(order)} limit 1)
    select page.*, progress.* from (select) one left join progress on true left join (
      select c.*, used.* from candidate c
      cross join lateral (
        select count(*) as repositories, coalesce(sum(per.count), 0)::bigint as dependencies from (
          select d.repository_id, count(*) from package_version v
          cross join lateral (select d.* from dependency d
            where d.deployment_id = ${deploymentId} and d.package_version_id = v.id offset 0) d
          where v.deployment_id = ${deploymentId} and v.package_id = c.id ${known}
            and (d.repository_id in (select id from wanted_repository)) is true ${dependencyIsWanted(deploymentId, conditions)}
          group by d.repository_id) per
        offset 0) used
      where used.repositories > 0
      order by c.name ${way}, c.ecosystem ${way} limit ${limit}) page on true
    order by page.name ${way}, page.ecosystem ${way}`
}

function countedWhole(deploymentId: number, actor: Actor, search: PackageSearch): Sql {
  const { conditions, onlyKnown, order, after, limit } = search
  const { way, beyond } = directionOf(order)
  const rank = { name: sql`0::bigint`, repositories: sql`used.repositories`, dependencies: sql`used.dependencies` }[
    order.by
  ]
  const past = after
    ? sql`and (${rank}, p.name, p.ecosystem) ${beyond} (${after.rank}::bigint, ${after.name}, ${after.ecosystem})`
    : empty
  const there = sql`d.deployment_id = ${deploymentId} and d.repository_id = any(array(select id from wanted_repository))`
  const known = onlyKnown
    ? sql`, known as materialized (select v.id from (select distinct d.package_version_id as id from dependency d where ${there}) one
        join package_version v on v.deployment_id = ${deploymentId} and v.id = one.id
        join package p on p.deployment_id = ${deploymentId} and p.id = v.package_id
        where v.version <> '' and ${onlyKnown(sql`p.name`, sql`p.ecosystem`, sql`v.order_key`)} is not null)`
    : empty
  const isKnown = onlyKnown ? sql`and (d.package_version_id in (select id from known)) is true` : empty
  return sql`with ${wantedRepositories(actor, conditions)} ${known},
    used as materialized (
      select per.package_id, count(*) as repositories, sum(per.count)::bigint as dependencies from (
        select d.package_id, d.repository_id, count(*) from dependency d
        where ${there} ${isKnown} ${dependencyIsWanted(deploymentId, conditions)}
        group by d.package_id, d.repository_id) per
      group by per.package_id)
    select p.id, p.ecosystem, p.name, p.shown_name as "shownName", used.repositories, used.dependencies
    from used join package p on p.deployment_id = ${deploymentId} and p.id = used.package_id ${past}
    order by ${rank} ${way}, p.name ${way}, p.ecosystem ${way} limit ${limit}`
}

function directionOf({ direction }: PackageOrder): { way: Sql; beyond: Sql } {
  return direction === 'desc' ? { way: sql`desc`, beyond: sql`<` } : { way: empty, beyond: sql`>` }
}

function reversed({ direction }: PackageOrder): Sql {
  return direction === 'desc' ? empty : sql`desc`
}
