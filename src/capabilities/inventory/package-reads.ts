import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'

export type PackageName = { name: string; ecosystem: string }

/** The ids of the packages of a deployment, in order. */
export async function listPackageIds(db: Queryable, after: number, limit: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select id from package
    where deployment_id = ${db.deploymentId} and id > ${after} order by id limit ${limit}`)
  return rows.map((row) => row.id)
}

/** These packages, given by name or by id, as a relation with their id, name and ecosystem. */
export function chosenPackages(deploymentId: number, packages: readonly PackageName[] | readonly number[]): Sql {
  if (isIds(packages)) {
    return sql`select p.id, p.name, p.ecosystem from package p
      where p.deployment_id = ${deploymentId} and p.id = any(${packages}::bigint[])`
  }
  return sql`select p.id, p.name, p.ecosystem from unnest(${packages.map((one) => one.name)}::text[],
      ${packages.map((one) => one.ecosystem)}::text[]) as given (name, ecosystem)
    join package p on p.deployment_id = ${deploymentId} and p.name = given.name and p.ecosystem = given.ecosystem`
}

/** The packages of a deployment as a relation: name, ecosystem, and whether this repository has them (`own`). */
export function packagesInUse(deploymentId: number, repositoryId: number): Sql {
  return sql`(select p.name, p.ecosystem, own.package_id is not null as own from package p
    left join (select distinct d.package_id from dependency d
      where d.deployment_id = ${deploymentId} and d.repository_id = ${repositoryId}) own on own.package_id = p.id
    where p.deployment_id = ${deploymentId})`
}

/** Names of packages that repositories of the deployment have, in their order. */
export async function packageNamesInUse(db: Queryable, ecosystem: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select p.name from package p
    where p.deployment_id = ${db.deploymentId} and p.ecosystem = ${ecosystem} and exists (select 1 from dependency d
      where d.deployment_id = ${db.deploymentId} and d.package_id = p.id)
    order by p.name limit ${limit}`)
  return rows.map(({ name }) => name)
}

function isIds(packages: readonly PackageName[] | readonly number[]): packages is readonly number[] {
  return typeof packages[0] === 'number'
}

export type RepositoryWithVersions = {
  id: number
  repository: string
  dependencyCount: number
  dependencies: { ecosystem: string; name: string; version: string; lockfilePath: string; line: number }[]
}

const mostDependencies = 100

/** Who has one of these versions (a statement that answers their ids), with the entries of each, and one repository more. */
export function listRepositoriesWith(
  db: Queryable,
  actor: Actor,
  versions: Sql,
  page: PageRequest,
): Promise<RepositoryWithVersions[]> {
  return db.query(sql`with version as materialized (${versions}), page as materialized (
      select d.repository_id, count(*) as entries from dependency d
      where d.deployment_id = ${db.deploymentId} and d.package_version_id = any(array(select id from version))
        and d.repository_id > ${page.after} and ${visibleTo(actor, sql`d.repository_id`)}
      group by d.repository_id order by d.repository_id limit ${page.size + 1}
    )
    select rep.id, rep.name as repository, page.entries as "dependencyCount", entry.list as dependencies from page
    join repository rep on rep.deployment_id = ${db.deploymentId} and rep.id = page.repository_id
    cross join lateral (
      select jsonb_agg(jsonb_build_object('ecosystem', ecosystem, 'name', name, 'version', version,
        'lockfilePath', path, 'line', line)) as list
      from (
        select p.ecosystem, p.shown_name as name, v.version, l.path, d.line from dependency d
        join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
        join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
        join lockfile l on l.deployment_id = d.deployment_id and l.repository_id = d.repository_id and l.id = d.lockfile_id
        where d.deployment_id = ${db.deploymentId} and d.repository_id = page.repository_id
          and d.package_version_id = any(array(select id from version))
        order by l.path, d.ordinal limit ${mostDependencies}
      ) listed
    ) entry
    order by rep.id`)
}
