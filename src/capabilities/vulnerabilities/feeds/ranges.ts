import { ecosystems } from '../../../ecosystems/registry.ts'
import { affectedIntervals, createCover, type KeyInterval } from '../../../ecosystems/version-range.ts'
import type { OsvPackage } from '../../../formats/osv/record.ts'

/** Versions of a package that a record names, as they are stored: keys in hexadecimal, null for an open side. */
export type RangeRow = {
  ecosystem: string
  name: string
  lower: string | null
  upper: string | null
  upperInclusive: boolean
  /** The version that ends it because it is free of it; '' where no version is known to be. */
  fixed: string
}

/** No inventory has longer names, and an index entry has its limits. */
const longestName = 500

/** Of all entries of a record; each once, and listed versions only where no range has them. */
export function rangesOf(packages: readonly OsvPackage[]): RangeRow[] {
  const rows = new Map<string, RangeRow>()
  for (const named of packages) {
    if (named.name.length > longestName) continue
    for (const row of rangesOfPackage(named)) rows.set(JSON.stringify(row), row)
  }
  return [...rows.values()]
}

function rangesOfPackage({ ecosystem: id, name, ranges, versions }: OsvPackage): RangeRow[] {
  const ecosystem = ecosystems[id]
  const intervals = affectedIntervals(ecosystem, { ranges })
  const isInRange = createCover(intervals)
  const listed = affectedIntervals(ecosystem, { versions }).filter(({ lower }) => !isInRange(lower!.key))
  const fixes = new Map(
    ranges.flatMap(({ events }) =>
      events.flatMap(({ fixed }) => (fixed === undefined ? [] : [[hex(ecosystem.orderKey(fixed)), fixed] as const])),
    ),
  )
  return [...intervals, ...listed].map((interval) => toRow(id, name, interval, fixes))
}

function toRow(
  ecosystem: string,
  name: string,
  { lower, upper }: KeyInterval,
  fixes: ReadonlyMap<string, string>,
): RangeRow {
  const end = upper ? hex(upper.key) : null
  const upperInclusive = upper?.inclusive ?? false
  const fixed = end !== null && !upperInclusive ? (fixes.get(end) ?? '') : ''
  return { ecosystem, name, lower: lower ? hex(lower.key) : null, upper: end, upperInclusive, fixed }
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}
