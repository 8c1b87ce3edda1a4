import { writeCyclonedxJson } from '../../formats/cyclonedx-json/writer.ts'
import { purlOf } from '../../formats/sbom/identity.ts'
import type { BillVulnerability } from '../../formats/sbom/repository-bill.ts'
import { writeSpdxJson } from '../../formats/spdx-json/writer.ts'
import type { Download } from '../../kernel/contract/api.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { readBillFiles, readVersionBill } from '../inventory/public.ts'
import { mediaTypeOf, type SbomQuery } from './contract.ts'
import { mergedItems } from './search/merged-items.ts'

export type BillSubject = { name: string; updatedAt: Date | null }
/** One that is kept beside the inventory. */
export type BilledVersion = { version: string; updatedAt: Date }
/** Vulnerabilities for the document; with `affectedOnly` it has no components but theirs. */
export type BilledVulnerabilities = { list: readonly BillVulnerability[]; affectedOnly: boolean }

const writers = { cyclonedx: writeCyclonedxJson, spdx: writeSpdxJson }

export async function writeSbom(
  db: Queryable,
  repositoryId: number,
  repository: BillSubject,
  format: NonNullable<SbomQuery['format']>,
  { kept, found }: { kept?: BilledVersion | undefined; found?: BilledVulnerabilities | undefined } = {},
): Promise<Download> {
  const files = kept ? readVersionBill(db, repositoryId, kept.version) : readBillFiles(db, repositoryId)
  const all = await mergedItems(await files)
  const affected = found?.affectedOnly && new Set(found.list.flatMap(({ purls }) => purls))
  const items = affected ? all.filter((item) => affected.has(purlOf(item) ?? '')) : all
  const created = (kept ?? repository).updatedAt ?? new Date(0)
  return {
    mediaType: mediaTypeOf(format),
    fileName: `${repository.name}.${format === 'spdx' ? 'spdx' : 'cdx'}.json`,
    pieces: writers[format]({ repository: repository.name, created, items, vulnerabilities: found?.list }),
  }
}
