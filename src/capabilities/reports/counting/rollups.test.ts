import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketsOf, timeBucketSizes } from '../../../kernel/time/time-buckets.ts'
import { createTally, type Rollup } from './rollups.ts'

type Entry = { other: number; at: number; cell: number; category: number; gone: boolean }

const dayMs = 86_400_000
const firstDay = Date.parse('2026-01-30T00:00:00Z') / dayMs
const cells = [1, 2, 34, 149]
const most = 2 ** 30 - 1

/** As the database writes it: see migrations/0026. */
function written(entries: readonly Entry[]): Rollup[] {
  return entries.map(({ other, at, cell, category, gone }) => {
    const day = new Date(at * dayMs)
    const first = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1) / dayMs
    const bits = [
      [other, 30],
      [day.getUTCDate(), 5],
      [cell, 8],
      [category, 4],
      [gone ? 1 : 0, 1],
    ].map(([number, width]) => number!.toString(2).padStart(width!, '0'))
    return {
      first,
      entries: Buffer.from(
        BigInt(`0b${bits.join('')}`)
          .toString(16)
          .padStart(12, '0'),
        'hex',
      ),
    }
  })
}

/** Some sheets have many entries. */
function together(sheets: readonly Rollup[]): Rollup[] {
  const months = Map.groupBy(sheets, (sheet) => sheet.first)
  return [...months].map(([first, some]) => ({ first, entries: Buffer.concat(some.map((one) => one.entries)) }))
}

const ids = fc.constantFrom(0, 1, 7, 8, 9, 200, most - 1, most)
const anyEntry = fc.record<Entry>({
  other: ids,
  at: fc.integer({ min: firstDay - 5, max: firstDay + 70 }),
  cell: fc.constantFrom(...cells),
  category: fc.integer({ min: 0, max: 8 }),
  gone: fc.boolean(),
})
const someIds = fc.option(fc.uniqueArray(ids), { nil: undefined })

test('what is on sheets counts by day, other and category, whatever they are', () => {
  const anything = fc.record({
    entries: fc.array(anyEntry, { maxLength: 60 }),
    others: someIds,
    categories: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 8 })), { nil: undefined }),
    sign: fc.constantFrom(1 as const, -1 as const),
    days: fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 40 })),
    late: fc.integer({ min: 0, max: dayMs - 1 }),
    size: fc.constantFrom(...timeBucketSizes),
  })
  fc.assert(
    fc.property(anything, ({ entries, others, categories, sign, days: [from, length], late, size }) => {
      const days = { since: new Date((firstDay + from) * dayMs), until: new Date((firstDay + from + length) * dayMs) }
      // The first bucket may begin within its first day.
      const buckets = bucketsOf({ since: new Date(days.since.getTime() + late), until: days.until }, size, '')
      const tally = createTally(buckets)
      tally.add(together(written(entries)), { others, categories, days: [days] }, sign)
      for (const [bucket, { until }] of buckets.entries()) {
        const since = bucket === 0 ? days.since : buckets[bucket]!.since
        for (const cell of cells) {
          const counted = entries
            .filter((entry) => entry.at * dayMs >= since.getTime() && entry.at * dayMs < until.getTime())
            .filter((entry) => entry.cell === cell && (!others || others.includes(entry.other)))
            .filter((entry) => !categories || categories.includes(entry.category))
          const expected = counted.reduce((sum, { gone }) => sum + (gone ? -sign : sign), 0)
          assert.equal(tally.sum(bucket, [cell]), expected)
        }
      }
    }),
  )
})

test('parts of a report add up', () => {
  const day = { since: new Date(firstDay * dayMs), until: new Date((firstDay + 1) * dayMs) }
  const entry = { other: 3, at: firstDay, cell: 34, category: 1, gone: false }
  const tally = createTally([day])
  const wanted = { others: undefined, categories: undefined, days: [day] }
  tally.add(written([entry, entry, entry]), wanted, 1)
  tally.add(written([entry, { ...entry, gone: true }, entry]), wanted, -1)
  assert.equal(tally.sum(0, [2, 34]), 2)
})
