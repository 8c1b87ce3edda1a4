import sql, { empty, type Sql } from 'sql-template-tag'

/*
 * What files list, as relations for the statements of others: `name` is normalised, `shownName` is how the file writes it. An entry
 * without a version says nothing about what it is, and is left out of what is stored.
 */

/**
 * What a repository has, of all its files or of some. One look into an index for each entry, whatever the planner thinks of the
 * tables: they grow faster than its statistics.
 */
export function inventoryEntries(deploymentId: number, repositoryId: number, paths?: readonly string[]): Sql {
  const inFiles = paths ? sql`and l.path = any(${paths}::text[])` : empty
  return sql`(
      select l.path, l.source, d.ordinal, d.line, d.transitivity, p.ecosystem, p.name, p.shown_name as "shownName", v.version,
        v.order_key as "orderKey", d.resolved
      from lockfile l
      join dependency d on d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id
      join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id and v.version <> ''
      join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
      where l.deployment_id = ${deploymentId} and l.repository_id = ${repositoryId} ${inFiles}
        and d.repository_id = ${repositoryId}
      offset 0
    )`
}

/** The entries of a file that is not stored: the columns of a batch, each one array in PostgreSQL's own notation. */
export type EntryColumns = {
  size: number
  ecosystem: string
  name: string
  shownName: string
  version: string
  orderKey: string
  ordinal: string
  line: string
  transitivity: string
  /** Where it was fetched from. */
  resolved: string
}

/** How the package of an `entry` that is not stored yet is written: as whoever named it first here did, else as its file does. */
export function shownNameOf(deploymentId: number): Sql {
  return sql`coalesce((select p.shown_name from package p where p.deployment_id = ${deploymentId}
    and p.name = entry.name and p.ecosystem = entry.ecosystem), entry."shownName")`
}

/** As relation `entry`. */
export function packedEntries(columns: EntryColumns): Sql {
  return sql`unnest(${columns.ordinal}::integer[], ${columns.line}::integer[], ${columns.transitivity}::"char"[],
      ${columns.ecosystem}::text[], ${columns.name}::text[], ${columns.shownName}::text[], ${columns.version}::text[],
      ${columns.orderKey}::bytea[])
    as entry (ordinal, line, transitivity, ecosystem, name, "shownName", version, "orderKey")`
}
