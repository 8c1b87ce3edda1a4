import sql from 'sql-template-tag'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { versionBillEntries } from './version-bill-store.ts'

export type BillEntry = {
  ordinal: number
  ecosystem: EcosystemId
  name: string
  version: string
  /** D, T or U. */
  transitivity: string
  development: boolean
  licence: string
  resolved: string
}

export type BillFile = {
  /** Pairs of ordinals, four bytes each, little endian: who depends on whom. */
  graph: Buffer
  entries: readonly BillEntry[]
}

type Row = BillEntry & { path: string; graph: Buffer | null }

/**
 * In one statement, so that it is one inventory and not half of two; as rows, since they come in a few at a time. The first row of
 * a file has its graph, and its ordinal is before all others.
 */
export async function readBillFiles(db: Queryable, repositoryId: number): Promise<BillFile[]> {
  const rows = await db.query<Row>(sql`select l.path, -1 as ordinal, '' as ecosystem, '' as name, '' as version,
      '' as transitivity, false as development, '' as licence, '' as resolved, l.graph
    from lockfile l where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId}
    union all
    select l.path, each.*, null from lockfile l cross join lateral (
      select d.ordinal, p.ecosystem, p.shown_name, v.version, d.transitivity::text, d.development,
        coalesce(licence.expression, ''), d.resolved
      from dependency d
      join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
      join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
      left join licence on licence.deployment_id = d.deployment_id and licence.id = d.licence_id
      where d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id offset 0) each
    where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId}
    order by path, ordinal`)
  const files: { graph: Buffer; entries: Row[] }[] = []
  for (const row of rows) {
    if (row.graph) files.push({ graph: row.graph, entries: [] })
    else files.at(-1)!.entries.push(row)
  }
  return files
}

/** The same of a version that is kept beside the inventory. Licences, and what depends on what, are not kept of it. */
export async function readVersionBill(db: Queryable, repositoryId: number, version: string): Promise<BillFile[]> {
  const entries = versionBillEntries(db.deploymentId, repositoryId, version)
  const rows = await db.query<BillEntry>(sql`select entry.ordinal, entry.ecosystem, entry."shownName" as name,
      entry.version, entry.transitivity::text, false as development, '' as licence, entry.resolved
    from ${entries} entry order by entry.path, entry.ordinal`)
  return [{ graph: Buffer.alloc(0), entries: rows }]
}
