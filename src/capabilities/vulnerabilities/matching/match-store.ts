import sql, { type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import {
  type BroughtFiles,
  type EntryColumns,
  findInBatches,
  inventoryEntries,
  ofBestSource,
  packedEntries,
  shownNameOf,
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
  record: Told
}

type SourcedHit = Hit & { source: string }
type Row<Found extends Hit> = Omit<Found, 'record'> & Omit<Told, 'id'>

/** Whether the version with the key in `key` lies in a range `r`. */
export function within(key: Sql): Sql {
  return sql`(r.lower is null or r.lower <= ${key})
    and (r.upper is null or ${key} < r.upper or (r.upper_inclusive and ${key} = r.upper))`
}

/** What records name of what a repository has; what several sources report, once. */
export async function hitsInInventory(db: Queryable, repositoryId: number): Promise<Hit[]> {
  return ofBestSource(await hitsIn(db, inventoryEntries(db.deploymentId, repositoryId)))
}

/** The same of what an upload brings, before it is stored, and of the files that stay. */
export async function hitsAmongBrought(
  db: Queryable,
  repositoryId: number,
  { source, files, keptPaths }: BroughtFiles,
): Promise<Hit[]> {
  const [brought, kept] = await Promise.all([
    findInBatches(files, (path, batch) => hitsAmong(db, path, batch)),
    keptPaths.length > 0 ? hitsIn(db, inventoryEntries(db.deploymentId, repositoryId, keptPaths)) : [],
  ])
  return ofBestSource([...kept, ...brought.map((hit) => ({ ...hit, source }))])
}

/** The same in some of its files, whatever others report. */
export function hitsInFiles(db: Queryable, repositoryId: number, paths: readonly string[]): Promise<Hit[]> {
  return hitsIn(db, inventoryEntries(db.deploymentId, repositoryId, paths))
}

/** The same in the bill of a version that is not the default branch. */
export function hitsInVersion(db: Queryable, repositoryId: number, version: string): Promise<Hit[]> {
  return hitsIn(db, versionBillEntries(db.deploymentId, repositoryId, version))
}

async function hitsIn(db: Queryable, entries: Sql): Promise<SourcedHit[]> {
  return toHits(
    await db.query<Row<SourcedHit>>(sql`select entry.*, r.vulnerability_id as "vulnerabilityId", r.fixed, ${told}
      from ${entries} entry ${ranges} where ${isAnythingKnown}`),
  )
}

/** The same in a file that is not stored. */
export async function hitsAmong(db: Queryable, path: string, columns: EntryColumns): Promise<Hit[]> {
  return toHits(
    await db.query<
      Row<Hit>
    >(sql`select ${path}::text as path, entry.ordinal, entry.line, entry.transitivity, entry.ecosystem,
        entry.name, ${shownNameOf(db.deploymentId)} as "shownName", entry.version, entry."orderKey",
        r.vulnerability_id as "vulnerabilityId", r.fixed, ${told}
      from ${packedEntries(columns)} ${ranges} where entry.version <> '' and ${isAnythingKnown}`),
  )
}

/** What many rows say of one record is kept once. */
function toHits<Found extends Hit>(rows: readonly Row<Found>[]): Found[] {
  const records = new Map<number, Told>()
  return rows.map(
    ({ externalId, ids, severity, severitySource, score, summary, cwes, publishedAt, ...hit }: Row<Hit>) => {
      const id = hit.vulnerabilityId
      const record = records.get(id) ?? {
        id,
        externalId,
        ids,
        severity,
        severitySource,
        score,
        summary,
        cwes,
        publishedAt,
      }
      records.set(id, record)
      return { ...hit, record } as Found
    },
  )
}

/** Without any advisory nobody need look at a single dependency. */
const isAnythingKnown = sql`(select true from vulnerability_range where live limit 1)`

/** The ranges `r` that name an entry, and the `record` of each. One look into an index for each, whatever the planner thinks. */
const ranges = sql`join lateral (select r.vulnerability_id, r.fixed from vulnerability_range r
  where r.name = entry.name and r.ecosystem = entry.ecosystem and r.live and ${within(sql`entry."orderKey"`)} offset 0) r on true
  cross join lateral (select * from vulnerability v where v.id = r.vulnerability_id offset 0) record`

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

const told = sql`record.external_id as "externalId", record.ids, record.severity, record.severity_source as "severitySource",
  record.score, record.summary, record.cwes, record.published_at as "publishedAt"`

export async function describe(db: Queryable, ids: readonly number[]): Promise<Map<number, Told>> {
  const rows = await db.query<Told>(sql`select record.id, ${told} from vulnerability record
    where record.id = any(${ids}::bigint[])`)
  return new Map(rows.map((row) => [row.id, row]))
}
