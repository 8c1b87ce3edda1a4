import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from './conditions.ts'
import { dependencyIsWanted, foundByIndex, repositoriesFrom, repositoryIsWanted, type SearchRange } from './search.ts'
import type { SearchStep } from './search-in-steps.ts'
import { stretch, type WithProgress } from './summary-store.ts'

export type DependencyRow = {
  /** Of the repository. */
  id: number
  repository_name: string
  package_version_id: number
  ecosystem: string
  name: string
  version: string
  transitivity: string
  development: boolean
  licence: string | null
  licences: string[] | null
  path: string
  nth: number
  line: number
  resolved: string
}

/** A place in the list of dependencies: after the nth time that this file has this version. */
export type ListPosition = { repositoryId: number; versionId: number; path: string; nth: number }

type PageQuery = { actor: Actor; conditions: Conditions; place: SearchRange; after: ListPosition; limit: number }

// More than this many matches in the repositories of one step are sooner found in the order of the list.
const mostByIndex = 2_000

/*
 * Keyset pagination: by repository, path of the file, version, and the number of the entry among those that the file has of
 * that version. An upload does not change this order for what it leaves in place. Which entries of a file have the same version
 * may change, so they are only counted.
 *
 * Every join is a `lateral ... offset 0`: a look into an index for each row, whatever the planner believes about tables that
 * nobody has analysed yet.
 */

/** For what is rare enough to be sorted after it was found. */
export async function listByIndex(db: Queryable, query: PageQuery): Promise<SearchStep<DependencyRow>> {
  const { actor, conditions, place, after, limit } = query
  const { deploymentId } = db
  const columns = sql`d.repository_id, d.lockfile_id, d.package_version_id, d.ordinal`
  const found = foundByIndex(actor, conditions, place, columns, mostByIndex)
  return stretch(
    await db.query<WithProgress<DependencyRow>>(sql`${found}, counted as (
        select f.*, r.name as repository_name, l.path, row_number() over (
          partition by f.repository_id, f.lockfile_id, f.package_version_id order by f.ordinal)::integer as nth
        from found f
        cross join lateral (select r.name from repository r where r.deployment_id = ${deploymentId}
          and r.id = f.repository_id ${repositoryIsWanted(actor, conditions)} offset 0) r
        cross join lateral (select l.path from lockfile l where l.deployment_id = ${deploymentId}
          and l.repository_id = f.repository_id and l.id = f.lockfile_id offset 0) l),
      page as materialized (
        select * from counted c
        where (c.repository_id, c.path, c.package_version_id, c.nth)
          > (${after.repositoryId}::bigint, ${after.path}::text collate "C", ${after.versionId}::bigint, ${after.nth}::integer)
        order by c.repository_id, c.path, c.package_version_id, c.nth limit ${limit})
      ${entriesOf(deploymentId)}`),
  )
}

/** For everything, or what most repositories have: read in the order of the list, from where the last page ended. */
export async function listByRepository(db: Queryable, query: PageQuery): Promise<SearchStep<DependencyRow>> {
  const { actor, conditions, place, after, limit } = query
  const { deploymentId } = db
  const isWanted = dependencyIsWanted(deploymentId, conditions)
  const isResumed = sql`c.id = ${after.repositoryId} and l.path = ${after.path}`
  return stretch(
    await db.query<WithProgress<DependencyRow>>(sql`with candidate as materialized (
        ${repositoriesFrom(actor, conditions, place)}),
      progress as materialized (
        select false as broad, case when count(*) = ${place.width} then max(id) end as up_to from candidate),
      listed as materialized (
        select c.id as repository_id, c.name as repository_name, l.path, l.resumed, d.*
        from candidate c
        cross join lateral (
          select l.id, l.path, ${isResumed} as resumed,
            -- The entry that the page before ended with. If the file has it fewer times now, there is no more of it.
            case when ${isResumed} then coalesce((select d.ordinal from dependency d
              where d.deployment_id = ${deploymentId} and d.repository_id = c.id and d.lockfile_id = l.id
                and d.package_version_id = ${after.versionId} ${isWanted}
              order by d.ordinal offset greatest(${after.nth}::integer - 1, 0) limit 1), 2147483647) else -1 end as ordinal
          from lockfile l where l.deployment_id = ${deploymentId} and l.repository_id = c.id
            and l.path >= case when c.id = ${after.repositoryId} then ${after.path} else '' end
          order by l.path offset 0) l
        cross join lateral (
          select d.lockfile_id, d.package_version_id, d.ordinal from dependency d
          where d.deployment_id = ${deploymentId} and d.repository_id = c.id and d.lockfile_id = l.id
            and (d.package_version_id, d.ordinal)
              > (case when l.resumed then ${after.versionId}::bigint else 0 end, l.ordinal) ${isWanted}
          order by d.package_version_id, d.ordinal offset 0) d
        limit ${limit}),
      page as materialized (
        select l.*, (row_number() over (partition by repository_id, path, package_version_id order by ordinal)
          + case when resumed and package_version_id = ${after.versionId} then ${after.nth}::integer else 0 end)::integer as nth
        from listed l)
      ${entriesOf(deploymentId)}`),
  )
}

/** What is shown of the entries of `page`; a row with the progress alone where it has none. */
function entriesOf(deploymentId: number): Sql {
  return sql`select p.broad, p.up_to, entry.* from progress p left join (
      select page.repository_id as id, page.repository_name, page.package_version_id, page.path, page.nth, d.line,
        d.transitivity, d.development, d.resolved, v.ecosystem, v.name, v.version, licence.expression as licence,
        licence.spdx_ids as licences
      from page
      cross join lateral (select * from dependency d where d.deployment_id = ${deploymentId}
        and d.repository_id = page.repository_id and d.lockfile_id = page.lockfile_id
        and d.package_version_id = page.package_version_id and d.ordinal = page.ordinal offset 0) d
      cross join lateral (select v.version, pk.ecosystem, pk.shown_name as name from package_version v
        join package pk on pk.deployment_id = ${deploymentId} and pk.id = v.package_id
        where v.deployment_id = ${deploymentId} and v.id = page.package_version_id offset 0) v
      left join lateral (select * from licence where licence.deployment_id = ${deploymentId}
        and licence.id = d.licence_id offset 0) licence on true) entry on true
    order by entry.id, entry.path, entry.package_version_id, entry.nth`
}
