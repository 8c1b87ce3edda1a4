import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import { visibleTo } from '../../repositories/public.ts'
import type { Conditions, PackageCriteria } from './conditions.ts'
import {
  hasLicence,
  isOneOf,
  licenceIsWanted,
  licencesWanted,
  packagesNamed,
  packagesWanted,
  rowIsWanted,
  takesMostNames,
  versionsWanted,
} from './sql-conditions.ts'

/**
 * Where a search goes on. It never reads more than it has to: what is rare is read as a whole, what is frequent in the
 * order of the repositories, as many of them as `width` says.
 */
export type SearchRange = { from: number; width: number }
export const everyRepository: SearchRange = { from: 0, width: 2_147_483_647 }

/**
 * Two relations for the rest of a statement: `found`, the dependencies with the given columns, or `counted`, how many of them
 * each repository has; and `progress`, one row that tells how far they reach: `up_to` the last repository looked at, null where
 * there is no other; `broad` where too many versions match to look for each of them, and nothing was looked at.
 */
export type FoundRelations = Sql

const mostVersions = 5_000
const mostNames = 1_000
/** This many are soon read: where they are counted, from the index alone. */
const mostRare = { listed: 500, counted: 5_000 }

const byRepository = { columns: sql`d.repository_id`, rare: mostRare.counted, most: Number.MAX_SAFE_INTEGER }

/** In the text, so that a plan for any values knows where it ends. */
const upTo = (most: number) => sql`limit ${raw(String(most + 1))}`

/**
 * From the matching versions (or licences, where no package is asked for) to the repositories, along their index. More than
 * `most` in the repositories of one step are `broad`, too: for whoever wants a few of them in order.
 */
export function foundByIndex(
  actor: Actor,
  conditions: Conditions,
  place: SearchRange,
  columns: Sql,
  most = Number.MAX_SAFE_INTEGER,
): FoundRelations {
  return found(actor, conditions, place, { columns, rare: mostRare.listed, most })
}

type Reading = {
  columns: Sql
  /** This many are read wherever they are. */
  rare: number
  most: number
}

function found(actor: Actor, conditions: Conditions, place: SearchRange, reading: Reading): FoundRelations {
  const { deploymentId } = actor
  const { packages } = conditions
  const wanted = packages
    ? versionsWanted(deploymentId, packages)
    : licencesWanted(deploymentId, conditions.licences ?? [])
  return sql`with wanted as materialized (${idsOf(wanted)}),
    ${alongIndex(actor, conditions, place, reading)},
    progress as materialized (
      select (select broad from wanted) or (select count(*) from crowd) >= ${reading.most} as broad,
        case when count(*) = ${place.width} then max(id) end as up_to from candidate),
    found as (
      select * from rare where not (select dense from density)
      union all
      select * from crowd where not (select broad from progress))`
}

/** The same, counted. */
export function countedByIndex(actor: Actor, conditions: Conditions, place: SearchRange): FoundRelations {
  return sql`${found(actor, conditions, place, byRepository)},
    counted as (select repository_id, count(*) as matches from found group by repository_id)`
}

/**
 * By a part of a name, in one statement, because all names have to be read for it: along the index where few packages have it, and
 * else repository by repository, in steps of a quarter of the width.
 */
export function countedByPartOfName(
  actor: Actor,
  conditions: Conditions & { packages: PackageCriteria },
  place: SearchRange,
  limit: number,
): FoundRelations {
  const { deploymentId } = actor
  const width = Math.ceil(place.width / 4)
  const { packages } = conditions
  // Where most names have it, those without are fewer; whether they do shows with the first of them.
  const isShort = takesMostNames(packages)
  const names = sql`${packagesNamed(deploymentId, packages)} ${isShort ? upTo(mostNames) : empty}`
  const isOne = isShort
    ? packagesWanted(deploymentId, packages)
    : sql`and (d.package_id in (select id from named)) is true`
  const isNamed = sql`${isOne} ${rowIsWanted(deploymentId, conditions)}`
  const versions = sql`select v.id from named
    cross join lateral (select v.id from package_version v
      where v.deployment_id = ${deploymentId} and v.package_id = named.id offset 0) v
    where not (select broad from breadth)`
  return sql`with named as materialized (${names}),
    breadth as materialized (select exists (select 1 from named offset ${mostNames}) as broad),
    versions as materialized (${idsOf(versions)}),
    wanted as materialized (select ids, broad or (select broad from breadth) as broad from versions),
    ${alongIndex(actor, conditions, place, byRepository)},
    area as materialized (
      ${repositoriesFrom(actor, conditions, { from: place.from, width }, sql`and (select broad from wanted)`)}),
    progress as materialized (
      select false as broad, coalesce(
        (select max(id) from candidate having count(*) = ${place.width}),
        (select max(id) from area having count(*) = ${width})) as up_to),
    counted as (
      select repository_id, count(*) as matches from (
        select * from rare where not (select dense from density) union all select * from crowd) along_index
      group by repository_id
      union all
      (${countIn(sql`area`, deploymentId, isNamed, limit)}))`
}

/** The ids as one list, and whether they are `broad`: too many to look for each of them. */
export function idsOf(wanted: Sql): Sql {
  return sql`select array_agg(id) as ids, count(*) > ${mostVersions} as broad
    from (${wanted} ${upTo(mostVersions)}) each (id)`
}

/** What is rare as a whole, and what is not (`dense`) in as many repositories as the width says. */
function alongIndex(actor: Actor, conditions: Conditions, place: SearchRange, { columns, rare, most }: Reading): Sql {
  const { deploymentId } = actor
  const column = conditions.packages ? sql`d.package_version_id` : sql`d.licence_id`
  const rows = sql`d.deployment_id = ${deploymentId} and ${column} = any((select ids from wanted)::bigint[])
    and d.repository_id >= ${place.from} ${rowIsWanted(deploymentId, conditions)}`
  // Versions are many and rare, so they are read up to the last repository, and those between that nobody asks for are passed over.
  // Of a licence, only in those that the actor sees.
  const isCandidate = conditions.packages
    ? sql`d.repository_id <= (select max(id) from candidate) and ${isOneOf(sql`d.repository_id`, sql`select id from candidate`)}`
    : sql`d.repository_id = any(array(select id from candidate))`
  return sql`rare as materialized (
      select ${columns} from dependency d where not (select broad from wanted) and ${rows} ${upTo(rare)}),
    density as materialized (select (select count(*) from rare) > ${rare} as dense),
    candidate as materialized (
      ${repositoriesFrom(actor, conditions, place, sql`and (select dense from density)`)}),
    crowd as materialized (
      select ${columns} from dependency d where (select dense from density) and ${isCandidate} and ${rows} limit ${most})`
}

/**
 * From the repositories to their dependencies: for filters that so many dependencies match that most repositories do. As many
 * repositories as have `most` dependencies, by the sums that are kept of their inventories.
 */
export function foundByRepository(
  actor: Actor,
  conditions: Conditions,
  place: SearchRange,
  columns: Sql,
  most: number,
): FoundRelations {
  const { deploymentId } = actor
  return sql`with sized as materialized (
      select r.id, sum(i.dependency_count) over (order by r.id) - i.dependency_count as before from repository r
      join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id
      where r.deployment_id = ${deploymentId} and r.id >= ${place.from} ${repositoryIsWanted(actor, conditions)}),
    candidate as materialized (select id from sized where before < ${most}::bigint),
    progress as materialized (
      select false as broad, (select max(id) from candidate where exists (
        select 1 from sized where before >= ${most}::bigint)) as up_to),
    found as (
      select ${columns} from dependency d where d.deployment_id = ${deploymentId}
        and d.repository_id = any(array(select id from candidate)) ${dependencyIsWanted(deploymentId, conditions)})`
}

/** The same, counted; no further than to the last of as many as `limit` that have some. */
export function countedByRepository(
  actor: Actor,
  conditions: Conditions,
  place: SearchRange,
  limit: number,
): FoundRelations {
  const { deploymentId } = actor
  return sql`with ${candidatesFrom(actor, conditions, place)},
    counted as (${countIn(sql`candidate`, deploymentId, dependencyIsWanted(deploymentId, conditions), limit)})`
}

function candidatesFrom(actor: Actor, conditions: Conditions, place: SearchRange): Sql {
  return sql`candidate as materialized (${repositoriesFrom(actor, conditions, place)}),
    progress as materialized (
      select false as broad, case when count(*) = ${place.width} then max(id) end as up_to from candidate)`
}

/**
 * The next repositories with dependencies, in the order of their ids. Those without would fill one step after the other and
 * bring nothing, each step eight times as wide as the one before.
 */
export function repositoriesFrom(actor: Actor, conditions: Conditions, place: SearchRange, when = empty): Sql {
  const { deploymentId } = actor
  return sql`select r.id, r.name from inventory i
    cross join lateral (select r.id, r.name from repository r where r.deployment_id = ${deploymentId}
      and r.id = i.repository_id ${stateIsWanted(deploymentId, conditions)} offset 0) r
    where i.deployment_id = ${deploymentId} and i.repository_id >= ${place.from} and i.dependency_count > 0
      ${idIsWanted(actor, conditions, sql`i.repository_id`)} ${mayHaveLicence(deploymentId, conditions)} ${when}
    order by i.repository_id limit ${place.width}`
}

/**
 * For an inventory `i`: one whose licences are counted is passed over where none of them is asked for. A question for each, so that no
 * more are looked at than a page needs.
 */
function mayHaveLicence(deploymentId: number, { licences }: Conditions): Sql {
  if (!licences) return empty
  return sql`and coalesce((select ${hasLicence(deploymentId, licences)} from inventory_licences c
    where c.deployment_id = ${deploymentId} and c.repository_id = i.repository_id and c.scan_id = i.scan_id), true)`
}

/** One by one and in their order, so that nothing is collected but a sum for each, and none is counted that is not shown. */
function countIn(repositories: Sql, deploymentId: number, isWanted: Sql, limit: number): Sql {
  return sql`select each.id as repository_id, sum.matches from (select id from ${repositories} order by id offset 0) each
    cross join lateral (select count(*) as matches from dependency d where d.deployment_id = ${deploymentId}
      and d.repository_id = each.id ${isWanted} offset 0) sum
    where sum.matches > 0 limit ${limit}`
}

/** Everything that is asked of a dependency `d` itself. */
export function dependencyIsWanted(deploymentId: number, conditions: Conditions): Sql {
  const packages = conditions.packages ? packagesWanted(deploymentId, conditions.packages) : empty
  const { licences } = conditions
  const isUnderOne =
    licences && !conditions.packages
      ? licenceIsWanted(licences, sql`d.licence_id = any(array(${licencesWanted(deploymentId, licences)}))`)
      : empty
  return sql`${isUnderOne} ${rowIsWanted(deploymentId, conditions)} ${packages}`
}

/** For a repository `r`. */
export function repositoryIsWanted(actor: Actor, conditions: Conditions): Sql {
  return sql`${idIsWanted(actor, conditions, sql`r.id`)} ${stateIsWanted(actor.deploymentId, conditions)}`
}

/** The same of its id alone, for many of them: what the actor sees is read once, and not for each. */
export function eachIdIsWanted(actor: Actor, conditions: Conditions, id: Sql): Sql {
  return sql`(true ${idIsWanted(actor, conditions, id)}) is true`
}

function idIsWanted(actor: Actor, { repositoryIds }: Conditions, id: Sql): Sql {
  const isGiven = repositoryIds ? sql`and ${id} = any(${repositoryIds}::bigint[])` : empty
  return sql`and ${visibleTo(actor, id)} ${isGiven}`
}

export function stateIsWanted(deploymentId: number, { lockfilePath, includeArchived }: Conditions): Sql {
  const parts: Sql[] = []
  if (!includeArchived) parts.push(sql`and not r.archived`)
  if (lockfilePath !== undefined) {
    parts.push(sql`and exists (select 1 from lockfile l
      where l.deployment_id = ${deploymentId} and l.path = ${lockfilePath} and l.repository_id = r.id)`)
  }
  return parts.length > 0 ? join(parts, ' ') : empty
}
