import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { dependencyIsWanted } from '../search/search.ts'
import type { CountingWay } from '../use/counting-way.ts'
import { usedVersions } from '../use/used-versions.ts'
import type { KnownOfVersion } from './known-of-version.ts'
import { wantedRepositories } from './wanted-repositories.ts'

export type VersionRow<Known> = {
  packageId: number
  version: string
  orderKey: Buffer
  repositories: number
  dependencies: number
  known: Known | null
}

/** The versions of these packages that are in use, counted as the packages were; the latest first by the order of their ecosystem. */
export function listCountedVersions<Known>(
  db: Queryable,
  conditions: Conditions,
  packageIds: readonly number[],
  known: KnownOfVersion,
  way: Exclude<CountingWay, { by: 'index' }>,
): Promise<VersionRow<Known>[]> {
  const { deploymentId } = db
  return db.query(sql`with asked as materialized (
      select v.id, v.version, v.order_key, p.id as package_id, p.name, p.ecosystem from unnest(${packageIds}::bigint[]) given (id)
      cross join lateral (select p.id, p.name, p.ecosystem from package p
        where p.deployment_id = ${deploymentId} and p.id = given.id offset 0) p
      cross join lateral (select v.id, v.version, v.order_key from package_version v
        where v.deployment_id = ${deploymentId} and v.package_id = p.id offset 0) v),
    ${usedVersions(deploymentId, conditions, packageIds, way)}
    select v.package_id as "packageId", v.version, v.order_key as "orderKey", used.repositories, used.dependencies,
      case when v.version <> '' then ${known(sql`v.name`, sql`v.ecosystem`, sql`v.order_key`)} end as known
    from used join asked v on v.id = used.version_id
    where used.dependencies > 0
    order by v.package_id, v.order_key desc, v.version`)
}

/** The same, with each dependency on them looked at. */
export function listVersions<Known>(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  packageIds: readonly number[],
  known: KnownOfVersion,
): Promise<VersionRow<Known>[]> {
  const { deploymentId } = db
  return db.query(sql`with ${wantedRepositories(actor, conditions)}
    select p.id as "packageId", v.version, v.order_key as "orderKey", used.*,
      case when v.version <> '' then ${known(sql`p.name`, sql`p.ecosystem`, sql`v.order_key`)} end as known
    from unnest(${packageIds}::bigint[]) given (id)
    cross join lateral (select p.id, p.name, p.ecosystem from package p
      where p.deployment_id = ${deploymentId} and p.id = given.id offset 0) p
    cross join lateral (select v.id, v.version, v.order_key from package_version v
      where v.deployment_id = ${deploymentId} and v.package_id = p.id offset 0) v
    cross join lateral (select count(distinct d.repository_id) as repositories, count(*) as dependencies from dependency d
      where d.deployment_id = ${deploymentId} and d.package_version_id = v.id
        and (d.repository_id in (select id from wanted_repository)) is true ${dependencyIsWanted(deploymentId, conditions)}
      offset 0) used
    where used.dependencies > 0
    order by p.id, v.order_key desc, v.version`)
}
