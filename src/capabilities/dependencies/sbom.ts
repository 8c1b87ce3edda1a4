import sql from 'sql-template-tag'
import { writeCyclonedxJson } from '../../formats/cyclonedx-json/writer.ts'
import { writeSpdxJson } from '../../formats/spdx-json/writer.ts'
import type { Download } from '../../kernel/contract/api.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { mediaTypeOf, type SbomQuery } from './contract.ts'
import { type BillEntry, type BillFile, mergedItems } from './search/merged-items.ts'

export type BillSubject = { name: string; updatedAt: Date | null }

const writers = { cyclonedx: writeCyclonedxJson, spdx: writeSpdxJson }

export async function writeSbom(
  db: Queryable,
  repositoryId: number,
  repository: BillSubject,
  format: NonNullable<SbomQuery['format']>,
): Promise<Download> {
  const items = await mergedItems(await readFiles(db, repositoryId))
  const created = repository.updatedAt ?? new Date(0)
  return {
    mediaType: mediaTypeOf(format),
    fileName: `${repository.name}.${format === 'spdx' ? 'spdx' : 'cdx'}.json`,
    pieces: writers[format]({ repository: repository.name, created, items }),
  }
}

type Row = BillEntry & { path: string; graph: Buffer | null }

/**
 * In one statement, so that it is one inventory and not half of two; as rows, since they come in a few at a time. The first row of
 * a file has its graph, and its ordinal is before all others.
 */
async function readFiles(db: Queryable, repositoryId: number): Promise<BillFile[]> {
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
