import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketsOf, timeBucketSizes } from '../../kernel/time-buckets.ts'
import { cutIntoSpans, daily, hourly } from './spans.ts'

const at = (text: string) => new Date(`${text}Z`)
const short = (date: Date) => date.toISOString().slice(0, 16)

test('a period is cut into the longest grains that fit', () => {
  const period = { since: at('2026-01-29T22:30:00'), until: at('2026-04-14T00:00:00.001') }
  const cut = cutIntoSpans([period], hourly)
  assert.deepEqual(
    cut.spans.map((span) => `${span.grain} ${short(span.since)} ${short(span.until)}`),
    [
      'h 2026-01-29T23:00 2026-01-30T00:00',
      'd 2026-01-30T00:00 2026-02-01T00:00',
      'm 2026-02-01T00:00 2026-04-01T00:00',
      // 6 April is a Monday.
      'd 2026-04-01T00:00 2026-04-06T00:00',
      'w 2026-04-06T00:00 2026-04-13T00:00',
      'd 2026-04-13T00:00 2026-04-14T00:00',
    ],
  )
  assert.deepEqual(
    cut.ragged.map((each) => [each.since.toISOString(), each.until.toISOString()]),
    [
      ['2026-01-29T22:30:00.000Z', '2026-01-29T23:00:00.000Z'],
      ['2026-04-14T00:00:00.000Z', '2026-04-14T00:00:00.001Z'],
    ],
  )
})

test('what fits no grain is ragged as a whole', () => {
  const period = { since: at('2026-01-01T10:05:00'), until: at('2026-01-02T09:00:00') }
  assert.deepEqual(cutIntoSpans([period], daily), { spans: [], ragged: [period] })
})

test('spans and ragged ends cover the buckets once, without overlap, and are few', () => {
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(
      moment,
      fc.integer({ min: 1, max: 900 * 86_400_000 }),
      fc.constantFrom(...timeBucketSizes),
      fc.constantFrom(daily, hourly),
      (since, length, size, grains) => {
        const period = { since, until: new Date(since.getTime() + length) }
        const buckets = bucketsOf(period, size, '')
        const { spans, ragged } = cutIntoSpans(buckets, grains)
        const all = [...spans, ...ragged].sort((a, b) => a.since.getTime() - b.since.getTime())
        assert.equal(all[0]!.since.getTime(), since.getTime())
        assert.equal(all.at(-1)!.until.getTime(), period.until.getTime())
        for (const [i, each] of all.entries()) {
          if (i > 0) assert.equal(each.since.getTime(), all[i - 1]!.until.getTime())
        }
        assert.ok(ragged.length <= 2 && spans.length <= 10, `${spans.length} spans, ${ragged.length} ragged ends`)
      },
    ),
  )
})
