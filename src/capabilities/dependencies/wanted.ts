import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Conditions } from './conditions.ts'
import type { Criterion, PackageCriteria } from './criteria.ts'

/** The ids of the versions that match, some perhaps twice. */
export function versionsWanted(deploymentId: number, packages: PackageCriteria): Sql {
  return eachKind(
    packages,
    (matching) => sql`select v.id ${matching}
    join package_version v on v.deployment_id = ${deploymentId} and v.package_id = p.id
      and v.order_key >= c.lower and v.order_key < c.upper`,
    deploymentId,
  )
}

/** Whether a dependency `d` is one of the packages, and of the versions where it matters. */
export function packagesWanted(deploymentId: number, packages: PackageCriteria): Sql {
  const one = eachKind(packages, (matching) => sql`select p.id ${matching}`, deploymentId)
  const isPackage = sql`and d.package_id in (${one})`
  if (!packages.narrowsVersions) return isPackage
  const ofVersion = eachKind(
    packages,
    (matching) => sql`select ${matching}
      join package_version v on v.deployment_id = ${deploymentId} and v.package_id = p.id
        and v.order_key >= c.lower and v.order_key < c.upper
      where p.id = d.package_id and v.id = d.package_version_id`,
    deploymentId,
  )
  return sql`${isPackage} and exists (${ofVersion})`
}

export function licencesWanted(deploymentId: number, ids: readonly string[]): Sql {
  return sql`select l.id from licence l where l.deployment_id = ${deploymentId}
    and exists (select from unnest(l.spdx_ids) spdx_id where lower(spdx_id) = any(${ids}::text[]))`
}

/** What is asked of a dependency `d` besides its package; licences only where they are not what is searched by. */
export function rowIsWanted(deploymentId: number, conditions: Conditions): Sql {
  const { transitivity, lockfilePath, licences, packages } = conditions
  const parts: Sql[] = []
  if (transitivity) parts.push(sql`and d.transitivity = any(${transitivity}::"char"[])`)
  if (lockfilePath !== undefined) {
    parts.push(sql`and d.lockfile_id in (select l.id from lockfile l
      where l.deployment_id = ${deploymentId} and l.path = ${lockfilePath})`)
  }
  if (licences && packages) parts.push(sql`and d.licence_id in (${licencesWanted(deploymentId, licences)})`)
  return parts.length > 0 ? join(parts, ' ') : empty
}

/** Whole names go through the index, parts of names through all packages: each kind a query of its own. */
function eachKind(packages: PackageCriteria, query: (matching: Sql) => Sql, deploymentId: number): Sql {
  const { criteria, nameContains } = packages
  const besides = nameContains === '' ? empty : sql`and strpos(p.search_text, ${nameContains}) > 0`
  const exact = criteria.filter((each) => each.exact)
  const parts = criteria.filter((each) => !each.exact)
  const queries: Sql[] = []
  if (exact.length > 0 || parts.length === 0) {
    queries.push(
      query(sql`from ${table(exact)} join package p
      on p.deployment_id = ${deploymentId} and p.name = c.name and p.ecosystem = c.ecosystem ${besides}`),
    )
  }
  if (parts.length > 0) {
    queries.push(
      query(sql`from package p join ${table(parts)}
      on p.deployment_id = ${deploymentId} and p.ecosystem = c.ecosystem and strpos(p.search_text, c.name) > 0 ${besides}`),
    )
  }
  return join(queries, ' union all ')
}

function table(criteria: readonly Criterion[]): Sql {
  const column = <K extends keyof Criterion>(key: K) => criteria.map((each) => each[key])
  return sql`unnest(${column('ecosystem')}::text[], ${column('name')}::text[], ${column('lower')}::bytea[],
    ${column('upper')}::bytea[]) as c (ecosystem, name, lower, upper)`
}
