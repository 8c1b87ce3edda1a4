import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { dependencyIsWanted } from '../search/search.ts'
import { packageIsWanted } from '../search/sql-conditions.ts'
import { type CountingWay, countingWays } from '../use/counting-way.ts'
import { type RankedPage, usedByIndex, usedByLists, usedByRows, usedBySums } from '../use/used-packages.ts'
import type { KnownOfVersion } from './known-of-version.ts'
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

export type PackageSearch = {
  conditions: Conditions
  /** Only versions of which this is not null. */
  onlyKnown: KnownOfVersion | undefined
  order: PackageOrder
  after: PackagePosition | undefined
  limit: number
}

/** `way` is how they were counted, for whoever counts their versions; undefined where each was looked at by itself. */
export type FoundPackages = { rows: PackageRow[]; way: CountingWay | undefined; atLeast: boolean }

const growth = 4
/** This many dependencies are counted for a page, in less than a tenth of a second. */
const mostCounted = 100_000
/** This many are found along an index before it is sooner to look at repositories. */
const mostByIndex = 20_000

/**
 * The packages that repositories have, each once. By name they are read along their index, as many as fill a page: the cost of
 * a page does not depend on how many there are. By their use they are sorted by sums where those answer. Otherwise as many
 * repositories are counted as have this many dependencies, and the answer says whether there are others.
 */
export async function searchPackages(
  db: Queryable,
  actor: Actor,
  search: PackageSearch,
  most = mostCounted,
): Promise<FoundPackages> {
  if (search.order.by === 'name' && (await isWide(db, actor, search.conditions))) {
    return { rows: await searchAlongNames(db, actor, search), way: undefined, atLeast: false }
  }
  for await (const way of countingWays(db, actor, search.conditions, search.onlyKnown !== undefined, most)) {
    const found = await db.query<PackageRow & { broad: boolean }>(ranked(actor, search, way))
    if (found[0]?.broad) continue
    const rows = found.filter((row) => row.id !== null)
    return { rows, way, atLeast: 'atLeast' in way && way.atLeast }
  }
  throw new Error('a count of repositories is never too broad')
}

async function searchAlongNames(db: Queryable, actor: Actor, search: PackageSearch): Promise<PackageRow[]> {
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

/** A page of packages by what they are sorted by; `broad` where an index leads to too many of them, and nothing was counted. */
function ranked(actor: Actor, search: PackageSearch, way: CountingWay): Sql {
  const { order, after, limit } = search
  const { deploymentId } = actor
  const { way: direction, beyond } = directionOf(order)
  const rank = (of: Sql) =>
    ({ name: sql`0::bigint`, repositories: sql`${of}.repositories`, dependencies: sql`${of}.dependencies` })[order.by]
  const past = (of: Sql, named: Sql) =>
    after
      ? sql`and (${rank(of)}, ${named}.name, ${named}.ecosystem) ${beyond} (${after.rank}::bigint, ${after.name}, ${after.ecosystem})`
      : empty
  const page: RankedPage = { rank, past: (of) => past(of, of), way: direction, limit }
  const broad = way.by === 'index' ? sql`(select broad from progress)` : sql`false`
  // Names are read of those that can come to the page: as many as fill it from beyond the rank where the page before ended.
  const beyondRank = after ? sql`where ${rank(sql`used`)} ${beyond} ${after.rank}::bigint` : empty
  const upToRank = after ? sql`and ${rank(sql`used`)} ${beyond}= ${after.rank}::bigint` : empty
  const before = order.direction === 'desc' ? sql`>=` : sql`<=`
  return sql`${usedBy(actor, search, way, page)},
    last as materialized (
      select ${rank(sql`used`)} as rank from used ${beyondRank}
      order by 1 ${direction} offset ${limit - 1} limit 1)
    select one.broad, page.* from (select ${broad} as broad) one left join (
      select p.id, p.ecosystem, p.name, p.shown_name as "shownName", used.repositories, used.dependencies
      from (select * from used where coalesce(${rank(sql`used`)} ${before} (select rank from last), true) ${upToRank} offset 0) used
      cross join lateral (select p.* from package p
        where p.deployment_id = ${deploymentId} and p.id = used.package_id offset 0) p
      where true ${past(sql`used`, sql`p`)}
      order by ${rank(sql`used`)} ${direction}, p.name ${direction}, p.ecosystem ${direction} limit ${limit}) page on true
    order by ${rank(sql`page`)} ${direction}, page.name ${direction}, page.ecosystem ${direction}`
}

function usedBy(actor: Actor, { conditions, onlyKnown }: PackageSearch, way: CountingWay, page: RankedPage): Sql {
  const { deploymentId } = actor
  switch (way.by) {
    case 'sums':
      return sql`with ${usedBySums(deploymentId, conditions, way.differences, page)}`
    case 'lists':
      return sql`with ${usedByLists(deploymentId, conditions, way.repositoryIds)}`
    case 'rows':
      return sql`with ${usedByRows(deploymentId, conditions, way.repositoryIds, onlyKnown)}`
    case 'index':
      return sql`with ${usedByIndex(actor, conditions, way.packages, mostByIndex)}`
  }
}

function directionOf({ direction }: PackageOrder): { way: Sql; beyond: Sql } {
  return direction === 'desc' ? { way: sql`desc`, beyond: sql`<` } : { way: empty, beyond: sql`>` }
}

function reversed({ direction }: PackageOrder): Sql {
  return direction === 'desc' ? empty : sql`desc`
}
