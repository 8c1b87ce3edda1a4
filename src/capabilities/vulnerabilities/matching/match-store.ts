import sql, { empty, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'

/** An entry of a file whose version a record names. */
export type Hit = {
  path: string
  ordinal: number
  line: number
  /** D direct, T transitive, U unknown. */
  transitivity: string
  ecosystem: string
  /** Normalised; `shownName` is how the file writes it. */
  name: string
  shownName: string
  version: string
  orderKey: Buffer
  vulnerabilityId: number
  /** The version that is free of it, by this record; '' where none is known. */
  fixed: string
}

/** Whether the version with the key in `key` lies in a range `r`. */
export function within(key: Sql): Sql {
  return sql`(r.lower is null or r.lower <= ${key})
    and (r.upper is null or ${key} < r.upper or (r.upper_inclusive and ${key} = r.upper))`
}

/**
 * What a repository has, of all its files or of some. One look into an index for each entry, whatever the planner thinks of the
 * tables: they grow faster than its statistics. An entry without a version says nothing about what it is.
 */
export function hitsInInventory(db: Queryable, repositoryId: number, paths?: readonly string[]): Promise<Hit[]> {
  const inFiles = paths ? sql`and l.path = any(${paths}::text[])` : empty
  return db.query(sql`select entry.*, r.vulnerability_id as "vulnerabilityId", r.fixed from (
      select l.path, d.ordinal, d.line, d.transitivity, p.ecosystem, p.name, p.shown_name as "shownName", v.version,
        v.order_key as "orderKey"
      from lockfile l
      join dependency d on d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id
      join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id and v.version <> ''
      join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
      where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} ${inFiles}
        and d.repository_id = ${repositoryId}
      offset 0
    ) entry ${ranges(sql`entry.name`, sql`entry.ecosystem`, sql`entry."orderKey"`)}`)
}

/** The entries of a file that is not stored: the columns of a batch, each one array in PostgreSQL's own notation. */
export type EntryColumns = {
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

export function hitsAmong(db: Queryable, path: string, columns: EntryColumns): Promise<Hit[]> {
  return db.query(sql`select ${path}::text as path, entry.*, r.vulnerability_id as "vulnerabilityId", r.fixed
    from ${entries(columns)} ${ranges(sql`entry.name`, sql`entry.ecosystem`, sql`entry."orderKey"`)}
    where entry.version <> ''`)
}

export function entries(columns: EntryColumns): Sql {
  return sql`unnest(${columns.ordinal}::integer[], ${columns.line}::integer[], ${columns.transitivity}::"char"[],
      ${columns.ecosystem}::text[], ${columns.name}::text[], ${columns.shownName}::text[], ${columns.version}::text[],
      ${columns.orderKey}::bytea[])
    as entry (ordinal, line, transitivity, ecosystem, name, "shownName", version, "orderKey")`
}

function ranges(name: Sql, ecosystem: Sql, key: Sql): Sql {
  return sql`join lateral (select r.vulnerability_id, r.fixed from vulnerability_range r
    where r.name = ${name} and r.ecosystem = ${ecosystem} and r.live and ${within(key)} offset 0) r on true`
}

/** What findings say of a record. */
export type Told = {
  id: number
  externalId: string
  ids: string[]
  severity: number
  severitySource: number
  score: number
  summary: string
  cwes: string[]
  publishedAt: Date
}

export async function describe(db: Queryable, ids: readonly number[]): Promise<Map<number, Told>> {
  const rows = await db.query<Told>(sql`select id, external_id as "externalId", ids, severity,
      severity_source as "severitySource", score, summary, cwes, published_at as "publishedAt"
    from vulnerability where id = any(${ids}::bigint[])`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Without any advisory nobody need look at a single dependency. */
export async function isAnythingKnown(db: Queryable): Promise<boolean> {
  const rows = await db.query(sql`select from vulnerability_range where live limit 1`)
  return rows.length > 0
}
