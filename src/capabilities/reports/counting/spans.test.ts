import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketsOf, timeBucketSizes } from '../../../kernel/time/time-buckets.ts'
import { cutIntoSpans, type Grain, type Signed } from './spans.ts'

const at = (text: string) => new Date(`${text}Z`)
const short = (date: Date) => date.toISOString().slice(0, 16)
const shown = ({ sign, grain, since, until }: Signed & { grain?: Grain }) =>
  `${sign === 1 ? '+' : '-'}${grain ?? ''} ${short(since)} ${short(until)}`

test('a period is cut into months and days, some of them taken away again', () => {
  const cases: [since: string, until: string, spans: string[], ragged: string[]][] = [
    [
      '2025-10-03T03:14',
      '2026-09-28T21:43',
      [
        '-d 2025-10-01T00:00 2025-10-03T00:00',
        '+m 2025-10-01T00:00 2026-10-01T00:00',
        '-d 2026-09-29T00:00 2026-10-01T00:00',
      ],
      ['- 2025-10-03T00:00 2025-10-03T03:14', '- 2026-09-28T21:43 2026-09-29T00:00'],
    ],
    [
      '2026-01-31T22:40',
      '2026-03-01T00:00',
      ['+m 2026-02-01T00:00 2026-03-01T00:00'],
      ['+ 2026-01-31T22:40 2026-02-01T00:00'],
    ],
    // Days in the middle of a month, and hours in the middle of a day.
    ['2026-01-15T00:00', '2026-01-18T00:00', ['+d 2026-01-15T00:00 2026-01-18T00:00'], []],
    ['2026-01-01T10:05', '2026-01-01T14:25', [], ['+ 2026-01-01T10:05 2026-01-01T14:25']],
    [
      '2026-01-01T02:00',
      '2026-01-01T23:00',
      ['+d 2026-01-01T00:00 2026-01-02T00:00'],
      ['- 2026-01-01T00:00 2026-01-01T02:00', '- 2026-01-01T23:00 2026-01-02T00:00'],
    ],
  ]
  for (const [since, until, spans, ragged] of cases) {
    const cut = cutIntoSpans([{ since: at(since), until: at(until) }])
    assert.deepEqual([cut.spans.map(shown), cut.ragged.map(shown)], [spans, ragged])
  }
})

const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })

test('spans and ragged ends amount to the buckets, each in its own, and are few', () => {
  fc.assert(
    fc.property(
      moment,
      fc.integer({ min: 1, max: 900 * 86_400_000 }),
      fc.option(fc.constantFrom(...timeBucketSizes), { nil: undefined }),
      (since, length, size) => {
        const period = { since, until: new Date(since.getTime() + length) }
        const buckets = size ? bucketsOf(period, size, '') : [period]
        const { spans, ragged } = cutIntoSpans(buckets)
        const raggedMs = ragged.reduce((sum, one) => sum + one.until.getTime() - one.since.getTime(), 0)
        assert.ok(raggedMs <= 86_400_000, `${raggedMs} ms of ragged ends`)
        assert.ok(ragged.length <= 2 && spans.length <= 5, `${spans.length} spans, ${ragged.length} ragged ends`)
        // What is before the first bucket counts as of it, what is after the last as of that.
        const starts = buckets.slice(1).map((bucket) => bucket.since.getTime())
        const bucketOf = (time: number) => starts.filter((start) => start <= time).length
        const changes = new Map<number, number>()
        const change = (time: number, by: number) => changes.set(time, (changes.get(time) ?? 0) + by)
        for (const one of [...spans.flatMap(grainsOf), ...ragged]) {
          const [from, to] = [one.since.getTime(), one.until.getTime()]
          assert.equal(bucketOf(from), bucketOf(to - 1), shown(one))
          change(from, one.sign)
          change(to, -one.sign)
        }
        change(since.getTime(), -1)
        change(period.until.getTime(), 1)
        assert.ok([...changes.values()].every((sum) => sum === 0))
      },
    ),
  )
})

function grainsOf({ grain, since, until, sign }: Signed & { grain: Grain }): Signed[] {
  const grains: Signed[] = []
  for (let start = since; start < until; ) {
    const next = new Date(start)
    if (grain === 'm') next.setUTCMonth(next.getUTCMonth() + 1)
    else next.setUTCDate(next.getUTCDate() + 1)
    grains.push({ since: start, until: next, sign })
    start = next
  }
  assert.equal(grains.at(-1)?.until.getTime(), until.getTime())
  return grains
}
