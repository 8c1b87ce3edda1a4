import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import { visibleTo } from '../../repositories/public.ts'
import type { Conditions } from './conditions.ts'
import { licencesWanted, packagesWanted, rowIsWanted, versionsWanted } from './sql-conditions.ts'

/**
 * Where a search goes on. It never reads more than it has to: what is rare is read as a whole, what is frequent in the
 * order of the repositories, as many of them as `width` says.
 */
export type SearchRange = { from: number; width: number }

/**
 * Two relations for the rest of a statement: `found`, the dependencies with the given columns, and `progress`, one row
 * that tells how far they reach: `up_to` the last repository looked at, null where there is no other; `broad` where too
 * many versions match to look for each of them, and nothing was looked at.
 */
export type FoundRelations = Sql

const mostVersions = 5_000
const mostRare = 500

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
  const { deploymentId } = actor
  const { packages } = conditions
  const wanted = packages
    ? versionsWanted(deploymentId, packages)
    : licencesWanted(deploymentId, conditions.licences ?? [])
  const column = packages ? sql`d.package_version_id` : sql`d.licence_id`
  const rows = sql`d.deployment_id = ${deploymentId} and ${column} = any((select ids from wanted)::bigint[])
    and d.repository_id >= ${place.from} ${rowIsWanted(deploymentId, conditions)}`
  return sql`with wanted as materialized (
      select array_agg(id) as ids, count(*) > ${mostVersions} as broad from (${wanted} limit ${mostVersions + 1}) each (id)),
    rare as materialized (
      select ${columns} from dependency d where not (select broad from wanted) and ${rows} limit ${mostRare + 1}),
    density as materialized (select (select count(*) from rare) > ${mostRare} as dense),
    candidate as materialized (
      select r.id from repository r where (select dense from density) and r.deployment_id = ${deploymentId}
        and r.id >= ${place.from} ${repositoryIsWanted(actor, conditions)} order by r.id limit ${place.width}),
    crowd as materialized (
      select ${columns} from dependency d where (select dense from density)
        and d.repository_id <= (select max(id) from candidate) and ${rows} limit ${most}),
    progress as materialized (
      select (select broad from wanted) or (select count(*) from crowd) >= ${most} as broad,
        case when count(*) = ${place.width} then max(id) end as up_to from candidate),
    found as (
      select * from rare where not (select dense from density)
      union all
      select * from crowd where not (select broad from progress))`
}

/** From the repositories to their dependencies: for filters that so many dependencies match that most repositories do. */
export function foundByRepository(
  actor: Actor,
  conditions: Conditions,
  place: SearchRange,
  columns: Sql,
): FoundRelations {
  const { deploymentId } = actor
  return sql`with candidate as materialized (
      select r.id from repository r where r.deployment_id = ${deploymentId} and r.id >= ${place.from}
        ${repositoryIsWanted(actor, conditions)} order by r.id limit ${place.width}),
    progress as materialized (
      select false as broad, case when count(*) = ${place.width} then max(id) end as up_to from candidate),
    found as (
      select ${columns} from dependency d where d.deployment_id = ${deploymentId}
        and d.repository_id = any(array(select id from candidate)) ${dependencyIsWanted(deploymentId, conditions)})`
}

/** Everything that is asked of a dependency `d` itself. */
export function dependencyIsWanted(deploymentId: number, conditions: Conditions): Sql {
  const packages = conditions.packages ? packagesWanted(deploymentId, conditions.packages) : empty
  const licences =
    conditions.licences && !conditions.packages
      ? sql`and d.licence_id = any(array(${licencesWanted(deploymentId, conditions.licences)}))`
      : empty
  return sql`${licences} ${rowIsWanted(deploymentId, conditions)} ${packages}`
}

/** For a repository `r`. */
export function repositoryIsWanted(actor: Actor, conditions: Conditions): Sql {
  const { repositoryIds, lockfilePath, includeArchived } = conditions
  const parts = [sql`and ${visibleTo(actor, sql`r.id`)}`]
  if (!includeArchived) parts.push(sql`and not r.archived`)
  if (repositoryIds) parts.push(sql`and r.id = any(${repositoryIds}::bigint[])`)
  if (lockfilePath !== undefined) {
    parts.push(sql`and exists (select 1 from lockfile l
      where l.deployment_id = ${actor.deploymentId} and l.path = ${lockfilePath} and l.repository_id = r.id)`)
  }
  return join(parts, ' ')
}
