import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { chosenPackages, type PackageName } from '../package-reads.ts'
import type { Conditions } from '../search/conditions.ts'
import type { KnownOfVersion } from './known-of-version.ts'
import type { PackageRow } from './package-search.ts'
import type { VersionRow } from './version-store.ts'
import { wantedRepositories } from './wanted-repositories.ts'

export type PackageUse<Known> = PackageRow & {
  /** Of the repositories those that ask for it themselves. */
  directRepositories: number
  /** As files give them, the most frequent first. */
  licences: string[]
  /** The latest first by the order of its ecosystem. */
  versions: VersionRow<Known>[]
}

/** One for each version, with what is said of the whole package. */
type Row<Known> = Omit<PackageUse<Known>, 'versions'> & {
  version: string
  orderKey: Buffer
  versionRepositories: number
  versionDependencies: number
  known: Known | null
}

/**
 * Everything about the use of one package, in one statement: each dependency on it is read once, from an index alone. Undefined
 * where no repository has it that the actor sees.
 */
export async function readPackageUse<Known>(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  name: PackageName,
  { known, mostLicences }: { known: KnownOfVersion; mostLicences: number },
): Promise<PackageUse<Known> | undefined> {
  const { deploymentId } = db
  const rows = await db.query<Row<Known>>(sql`with ${wantedRepositories(actor, conditions)},
    asked as materialized (${chosenPackages(deploymentId, [name])}),
    used as materialized (
      select v.id as version_id, d.* from asked
      cross join lateral (select v.id from package_version v
        where v.deployment_id = ${deploymentId} and v.package_id = asked.id offset 0) v
      cross join lateral (select d.repository_id, d.licence_id, d.transitivity = 'D' as direct from dependency d
        where d.deployment_id = ${deploymentId} and d.package_version_id = v.id offset 0) d
      where (d.repository_id in (select id from wanted_repository)) is true),
    per_repository as materialized (select bool_or(direct) as direct from used group by repository_id),
    per_licence as materialized (select l.expression, count(*) from used
      join licence l on l.deployment_id = ${deploymentId} and l.id = used.licence_id group by l.id, l.expression
      order by 2 desc, 1 limit ${mostLicences}),
    per_version as materialized (
      select version_id, count(*) as repositories, sum(count)::bigint as dependencies
      from (select version_id, repository_id, count(*) from used group by version_id, repository_id) one
      group by version_id)
    select p.id, p.ecosystem, p.name, p.shown_name as "shownName",
      (select count(*) from per_repository) as repositories, (select count(*) from used) as dependencies,
      (select count(*) from per_repository where direct) as "directRepositories",
      array(select expression from per_licence order by count desc, expression) as licences,
      v.version, v.order_key as "orderKey", per_version.repositories as "versionRepositories",
      per_version.dependencies as "versionDependencies",
      case when v.version <> '' then ${known(sql`p.name`, sql`p.ecosystem`, sql`v.order_key`)} end as known
    from per_version
    cross join lateral (select v.* from package_version v
      where v.deployment_id = ${deploymentId} and v.id = per_version.version_id offset 0) v
    cross join lateral (select p.* from package p
      where p.deployment_id = ${deploymentId} and p.id = v.package_id offset 0) p
    order by v.order_key desc, v.version`)
  const [first] = rows
  if (!first) return undefined
  const { id, ecosystem, shownName, repositories, dependencies, directRepositories, licences } = first
  const versions = rows.map((row) => ({
    packageId: id,
    version: row.version,
    orderKey: row.orderKey,
    repositories: row.versionRepositories,
    dependencies: row.versionDependencies,
    known: row.known,
  }))
  return {
    id,
    ecosystem,
    name: first.name,
    shownName,
    repositories,
    dependencies,
    directRepositories,
    licences,
    versions,
  }
}
