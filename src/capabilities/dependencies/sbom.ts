import sql from 'sql-template-tag'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { writeCyclonedxJson } from '../../formats/cyclonedx-json/writer.ts'
import { writeSpdxJson } from '../../formats/spdx-json/writer.ts'
import type { Download } from '../../kernel/contract/api.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { mediaTypeOf, type SbomQuery } from './contract.ts'
import { type BillFile, mergedItems } from './merged-items.ts'

export type BillSubject = { name: string; updatedAt: Date | null }

const writers = { cyclonedx: writeCyclonedxJson, spdx: writeSpdxJson }

export async function writeSbom(
  db: Queryable,
  repositoryId: number,
  repository: BillSubject,
  format: NonNullable<SbomQuery['format']>,
): Promise<Download> {
  const items = mergedItems(await readFiles(db, repositoryId))
  const created = repository.updatedAt ?? new Date(0)
  return {
    mediaType: mediaTypeOf(format),
    fileName: `${repository.name}.${format === 'spdx' ? 'spdx' : 'cdx'}.json`,
    pieces: writers[format]({ repository: repository.name, created, items }),
  }
}

/** In one statement, so that it is one inventory and not half of two. */
async function readFiles(db: Queryable, repositoryId: number): Promise<BillFile[]> {
  const rows = await db.query<{ graph: Buffer; entries: EntryRow[] | null }>(sql`select l.graph,
      (select json_agg(json_build_array(d.ordinal, p.ecosystem, p.shown_name, v.version, d.transitivity, d.development,
          coalesce(licence.expression, ''), d.resolved) order by d.ordinal)
        from dependency d
        join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
        join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
        left join licence on licence.deployment_id = d.deployment_id and licence.id = d.licence_id
        where d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id) as entries
    from lockfile l where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} order by l.path`)
  return rows.map(({ graph, entries }) => ({ graph, entries: (entries ?? []).map(toEntry) }))
}

type EntryRow = [number, EcosystemId, string, string, string, boolean, string, string]

function toEntry([ordinal, ecosystem, name, version, transitivity, development, licence, resolved]: EntryRow) {
  return { ordinal, ecosystem, name, version, transitivity, development, licence, resolved }
}
