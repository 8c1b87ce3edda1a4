import { writeCyclonedxJson } from '../../formats/cyclonedx-json/writer.ts'
import { writeSpdxJson } from '../../formats/spdx-json/writer.ts'
import type { Download } from '../../kernel/contract/api.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { readBillFiles, readVersionBill } from '../inventory/public.ts'
import { mediaTypeOf, type SbomQuery } from './contract.ts'
import { mergedItems } from './search/merged-items.ts'

export type BillSubject = { name: string; updatedAt: Date | null }
/** One that is kept beside the inventory. */
export type BilledVersion = { version: string; updatedAt: Date }

const writers = { cyclonedx: writeCyclonedxJson, spdx: writeSpdxJson }

export async function writeSbom(
  db: Queryable,
  repositoryId: number,
  repository: BillSubject,
  format: NonNullable<SbomQuery['format']>,
  kept?: BilledVersion,
): Promise<Download> {
  const files = kept ? readVersionBill(db, repositoryId, kept.version) : readBillFiles(db, repositoryId)
  const items = await mergedItems(await files)
  const created = (kept ?? repository).updatedAt ?? new Date(0)
  return {
    mediaType: mediaTypeOf(format),
    fileName: `${repository.name}.${format === 'spdx' ? 'spdx' : 'cdx'}.json`,
    pieces: writers[format]({ repository: repository.name, created, items }),
  }
}
