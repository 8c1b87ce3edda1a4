import { createHash } from 'node:crypto'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { affectedIntervals } from '../../../ecosystems/version-range.ts'
import type { OsvPackage, OsvRecord } from '../../../formats/osv/record.ts'

/** An advisory as it is stored. */
export type AdvisoryRow = {
  id: string
  /** Not withdrawn. */
  live: boolean
  /** It is live and names every version of a package. */
  whole: boolean
  modified: string
  /** When it was first published; when it was modified, where it does not say. */
  published: string
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
  const published = new Date(Date.parse(record.published) || Date.parse(record.modified)).toISOString()
  return { id: record.id, ...content, published, digest }
}

/** Whether every version of it is named, those to come included. */
function isWhole(named: OsvPackage): boolean {
  return affectedIntervals(ecosystems[named.ecosystem], named).some(({ lower, upper }) => !lower && !upper)
}

export type WholePackage = { id: string; published: string; ecosystem: EcosystemId; name: string }

/** Each package that a row names all versions of. */
export function wholePackages({ id, whole, published, packages }: AdvisoryRow): WholePackage[] {
  if (!whole) return []
  return packages.filter(isWhole).map(({ ecosystem, name }) => ({ id, published, ecosystem, name }))
}
