import type { Period } from '../../../kernel/time/time-buckets.ts'
import { lengthMs } from './spans.ts'

/** Some entries, all of one month; `first` is its first day, counted from 1970. What they look like: migrations/0026. */
export type Rollup = { first: number; entries: Buffer }

/** Which entries count. Undefined means all. */
export type RollupFilter = {
  /** The repositories of a rule's findings, or the rules of a repository's. */
  others: readonly number[] | undefined
  categories: readonly number[] | undefined
  /** Runs of whole days. */
  days: readonly Period[]
}

const entryBytes = 6
const mostCells = 256
const mostCategories = 16

/**
 * Counts by bucket and cell. The buckets are contiguous; a day that begins before the first one is counted in it. Hundreds of
 * thousands of entries are usual, and which of them count is as good as random: the loop over them looks everything up and
 * decides nothing, which is more than twice as fast.
 */
export function createTally(buckets: readonly Period[]) {
  const starts = buckets.map((bucket) => bucket.since.getTime())
  // For each cell what is added and what is taken away; behind the last bucket are the days that do not count.
  const counts = new Int32Array((buckets.length + 1) * mostCells * 2)

  function add(sheets: Iterable<Rollup>, { others, categories, days }: RollupFilter, sign: 1 | -1): void {
    const isOther = bitsFor(others)
    const beyond = isOther.length - 1
    const isCategory = new Uint8Array(mostCategories).fill(categories ? 0 : 1)
    for (const category of categories ?? []) isCategory[category] = 1
    const flipped = sign === 1 ? 0 : 1
    const months = new Map<number, Int32Array>()
    for (const { first, entries } of sheets) {
      const places = months.get(first) ?? placesIn(first, days)
      months.set(first, places)
      for (let at = 0; at < entries.length; at += entryBytes) {
        const high = (entries[at]! << 16) | (entries[at + 1]! << 8) | entries[at + 2]!
        const low = (entries[at + 3]! << 16) | (entries[at + 4]! << 8) | entries[at + 5]!
        const id = (high << 6) | (low >>> 18)
        const isCounted = (isOther[Math.min(id >>> 3, beyond)]! >>> (id & 7)) & isCategory[(low >>> 1) & 15]!
        counts[places[(low >>> 13) & 31]! + ((low >>> 5) & 255) * 2 + ((low & 1) ^ flipped)]! += isCounted
      }
    }
  }

  /** Where the counts of each day of a month are. */
  function placesIn(first: number, days: readonly Period[]): Int32Array {
    return Int32Array.from({ length: 32 }, (_, day) => {
      const at = (first + day - 1) * lengthMs.d
      const isCounted = days.some(({ since, until }) => since.getTime() <= at && at < until.getTime())
      const bucket = isCounted
        ? Math.max(
            0,
            starts.findLastIndex((start) => start <= at),
          )
        : buckets.length
      return bucket * mostCells * 2
    })
  }

  /** How many findings of some cells a bucket has. */
  function sum(bucket: number, cells: readonly number[]): number {
    const places = cells.map((cell) => (bucket * mostCells + cell) * 2)
    return places.reduce((total, place) => total + counts[place]! - counts[place + 1]!, 0)
  }

  return { add, sum }
}

/** A bit for each id up to the last, and a byte for all beyond. */
function bitsFor(ids: readonly number[] | undefined): Uint8Array {
  if (!ids) return Uint8Array.of(255)
  const bits = new Uint8Array((ids.reduce((most, id) => Math.max(most, id), 0) >>> 3) + 2)
  for (const id of ids) bits[id >>> 3]! |= 1 << (id & 7)
  return bits
}
