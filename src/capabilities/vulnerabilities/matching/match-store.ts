import sql, { type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import {
  type EntryColumns,
  inventoryEntries,
  ofBestSource,
  packedEntries,
  versionBillEntries,
} from '../../inventory/public.ts'

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

type SourcedHit = Hit & { source: string }

/** Whether the version with the key in `key` lies in a range `r`. */
export function within(key: Sql): Sql {
  return sql`(r.lower is null or r.lower <= ${key})
    and (r.upper is null or ${key} < r.upper or (r.upper_inclusive and ${key} = r.upper))`
}

/** What records name of what a repository has; what several sources tell of, once. */
export async function hitsInInventory(db: Queryable, repositoryId: number): Promise<Hit[]> {
  return ofBestSource(await hitsIn(db, inventoryEntries(db.deploymentId, repositoryId)))
}

/** The same in some of its files, whatever others tell of. */
export function hitsInFiles(db: Queryable, repositoryId: number, paths: readonly string[]): Promise<Hit[]> {
  return hitsIn(db, inventoryEntries(db.deploymentId, repositoryId, paths))
}

/** The same in the bill of a version that is not the default branch. */
export function hitsInVersion(db: Queryable, repositoryId: number, version: string): Promise<Hit[]> {
  return hitsIn(db, versionBillEntries(db.deploymentId, repositoryId, version))
}

function hitsIn(db: Queryable, entries: Sql): Promise<SourcedHit[]> {
  return db.query(sql`select entry.*, r.vulnerability_id as "vulnerabilityId", r.fixed
    from ${entries} entry ${ranges} where ${isAnythingKnown}`)
}

export function hitsAmong(db: Queryable, path: string, columns: EntryColumns): Promise<Hit[]> {
  return db.query(sql`select ${path}::text as path, entry.*, r.vulnerability_id as "vulnerabilityId", r.fixed
    from ${packedEntries(columns)} ${ranges} where entry.version <> '' and ${isAnythingKnown}`)
}

/** Without any advisory nobody need look at a single dependency. */
const isAnythingKnown = sql`(select true from vulnerability_range where live limit 1)`

/** The ranges `r` that name an entry. */
const ranges = sql`join lateral (select r.vulnerability_id, r.fixed from vulnerability_range r
  where r.name = entry.name and r.ecosystem = entry.ecosystem and r.live and ${within(sql`entry."orderKey"`)} offset 0) r on true`

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
