import { createHash } from 'node:crypto'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../ecosystems/registry.ts'
import { affectedIntervals } from '../../ecosystems/version-range.ts'
import type { OsvPackage, OsvRecord } from '../../formats/osv/record.ts'

/** An advisory as it is stored. */
export type AdvisoryRow = {
  id: string
  /** Not withdrawn. */
  live: boolean
  /** It is live and names every version of a package. */
  whole: boolean
  modified: string
  summary: string
  packages: OsvPackage[]
  digest: string
}

const longestSummary = 500

export function toRow(record: OsvRecord): AdvisoryRow {
  const live = record.withdrawn === ''
  const content = {
    live,
    whole: live && record.packages.some(isWhole),
    modified: new Date(record.modified).toISOString(),
    summary: record.summary.slice(0, longestSummary).toWellFormed(),
    packages: record.packages,
  }
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  return { id: record.id, ...content, digest }
}

/** Whether every version of it is named, those to come included. */
function isWhole(named: OsvPackage): boolean {
  return affectedIntervals(ecosystems[named.ecosystem], named).some(({ lower, upper }) => !lower && !upper)
}

/** Each package that a row names all versions of. */
export function wholePackages(row: AdvisoryRow): { id: string; ecosystem: EcosystemId; name: string }[] {
  if (!row.whole) return []
  return row.packages.filter(isWhole).map(({ ecosystem, name }) => ({ id: row.id, ecosystem, name }))
}
