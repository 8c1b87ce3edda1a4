import sql, { empty, type Sql } from 'sql-template-tag'

/*
 * Parts of statements for those who join the inventory with tables of their own: what would take a question for each row
 * otherwise. `deployment` is an expression, since feeds ask across all of them.
 */

/** Package `p` of the name and ecosystem that relation `named` has. */
export function joinPackages(deployment: Sql | undefined, named: Sql): Sql {
  const ofDeployment = deployment ? sql`p.deployment_id = ${deployment} and` : empty
  return sql`join package p on ${ofDeployment} p.name = ${named}.name and p.ecosystem = ${named}.ecosystem`
}

/** Versions `v` of package `p`, where `isWanted` takes their order key. */
export function joinVersions(deployment: Sql, isWanted?: (orderKey: Sql) => Sql): Sql {
  const narrowed = isWanted ? sql`and ${isWanted(sql`v.order_key`)}` : empty
  return sql`join package_version v on v.deployment_id = ${deployment} and v.package_id = p.id and v.version <> '' ${narrowed}`
}

/** Dependencies `d` that are of version `v`. */
export function joinDependencies(deployment: Sql): Sql {
  return sql`join dependency d on d.deployment_id = ${deployment} and d.package_version_id = v.id`
}

/** Of every repository that has one: the scan that made its inventory, and its sums. */
export function inventories(deploymentId: number): Sql {
  return sql`(select i.repository_id, i.scan_id, i.dependency_count, i.has_graph from inventory i
    where i.deployment_id = ${deploymentId})`
}

/** The ids of the versions that a repository has from files of such scans, each once. `isOfScan` takes the id of a scan. */
export function versionIdsOf(deploymentId: number, repositoryId: Sql, isOfScan: (scanId: Sql) => Sql): Sql {
  return sql`select distinct d.package_version_id from dependency d
    join lockfile l on l.deployment_id = ${deploymentId} and l.repository_id = d.repository_id and l.id = d.lockfile_id
    where d.deployment_id = ${deploymentId} and d.repository_id = ${repositoryId} and ${isOfScan(sql`l.scan_id`)}`
}
