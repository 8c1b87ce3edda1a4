import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketsOf, previousPeriod, readPeriod, timeBucketSizes } from './time-buckets.ts'

const now = new Date('2026-11-15T12:00:00.000Z')
const pointer = '/filters/timePeriod'

function shown(since: string, until: string, size?: (typeof timeBucketSizes)[number]): string[] {
  const buckets = bucketsOf({ since: new Date(since), until: new Date(until) }, size, pointer)
  return buckets.map((each) => `${each.since.toISOString()} ${each.until.toISOString()}`)
}

test('a period left open is the 30 days before its end, or up to now', () => {
  const cases: [{ since?: string; until?: string } | undefined, string, string][] = [
    [undefined, '2026-10-16T12:00:00.000Z', '2026-11-15T12:00:00.000Z'],
    [{}, '2026-10-16T12:00:00.000Z', '2026-11-15T12:00:00.000Z'],
    [{ until: '2026-01-31T00:00:00Z' }, '2026-01-01T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
    [{ since: '2026-11-01T02:00:00+02:00' }, '2026-11-01T00:00:00.000Z', '2026-11-15T12:00:00.000Z'],
  ]
  for (const [given, since, until] of cases) {
    const period = readPeriod(given, now, pointer)
    assert.deepEqual([period.since.toISOString(), period.until.toISOString()], [since, until])
  }
  const { since, until } = previousPeriod(readPeriod(undefined, now, pointer))
  assert.deepEqual([since.toISOString(), until.toISOString()], ['2026-09-16T12:00:00.000Z', '2026-10-16T12:00:00.000Z'])
})

test('no period begins before what a date-time can be written with', () => {
  const period = readPeriod({ until: '0000-01-10T00:00:00Z' }, now, pointer)
  assert.equal(period.since.toISOString(), '0000-01-01T00:00:00.000Z')
  const all = { since: new Date('0001-01-01T00:00:00Z'), until: new Date('9999-12-31T23:59:59Z') }
  assert.equal(previousPeriod(all).since.toISOString(), '0000-01-01T00:00:00.000Z')
})

test('a period that ends before or when it begins is refused', () => {
  const empty = [
    { since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    { since: '2027-01-01T00:00:00Z' },
  ]
  for (const given of empty) {
    assert.throws(() => readPeriod(given, now, pointer), {
      code: 'validation_failed',
      errors: [{ pointer, detail: 'since must be before until' }],
    })
  }
})

test('buckets begin with days, Mondays and months, and the first and last are cut', () => {
  assert.deepEqual(shown('2026-11-13T06:00:00Z', '2026-11-15T01:00:00Z'), [
    '2026-11-13T06:00:00.000Z 2026-11-14T00:00:00.000Z',
    '2026-11-14T00:00:00.000Z 2026-11-15T00:00:00.000Z',
    '2026-11-15T00:00:00.000Z 2026-11-15T01:00:00.000Z',
  ])
  // 2026-11-16 is a Monday.
  assert.deepEqual(shown('2026-11-15T23:00:00Z', '2026-11-23T00:00:00Z', 'TIME_BUCKET_SIZE_WEEK'), [
    '2026-11-15T23:00:00.000Z 2026-11-16T00:00:00.000Z',
    '2026-11-16T00:00:00.000Z 2026-11-23T00:00:00.000Z',
  ])
  assert.deepEqual(shown('2026-01-31T00:00:00Z', '2026-03-01T00:00:00.001Z', 'TIME_BUCKET_SIZE_MONTH'), [
    '2026-01-31T00:00:00.000Z 2026-02-01T00:00:00.000Z',
    '2026-02-01T00:00:00.000Z 2026-03-01T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z 2026-03-01T00:00:00.001Z',
  ])
})

test('without a size it goes by the length: 31 days by day, 183 by week, longer by month', () => {
  const cases: [string, number][] = [
    ['2026-02-01T00:00:00Z', 31],
    // A minute more than 31 days, from a Thursday to a Sunday: four Mondays in between.
    ['2026-02-01T00:01:00Z', 5],
    // 183 days from Thursday, 1 January.
    ['2026-07-03T00:00:00Z', 27],
    ['2026-07-03T00:01:00Z', 7],
  ]
  for (const [until, count] of cases) assert.equal(shown('2026-01-01T00:00:00Z', until).length, count, until)
})

test('a thousand buckets are answered, one more is refused', () => {
  const since = '2026-01-01T00:00:00Z'
  const end = (days: number) => new Date(Date.parse(since) + days * 86_400_000).toISOString()
  assert.equal(shown(since, end(1000), 'TIME_BUCKET_SIZE_DAY').length, 1000)
  assert.throws(() => shown(since, end(1001), 'TIME_BUCKET_SIZE_DAY'), { code: 'validation_failed' })
  assert.throws(() => shown('0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z'), { code: 'validation_failed' })
})

test('buckets cover the period without gap or overlap, and only the first and last are cut', () => {
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(
      moment,
      fc.integer({ min: 1, max: 900 * 86_400_000 }),
      fc.constantFrom(...timeBucketSizes),
      (since, length, size) => {
        const until = new Date(since.getTime() + length)
        const buckets = bucketsOf({ since, until }, size, pointer)
        assert.equal(buckets[0]!.since.getTime(), since.getTime())
        assert.equal(buckets.at(-1)!.until.getTime(), until.getTime())
        for (const [i, bucket] of buckets.entries()) {
          assert.ok(bucket.since < bucket.until)
          if (i === 0) continue
          assert.equal(bucket.since.getTime(), buckets[i - 1]!.until.getTime())
          assert.match(
            bucket.since.toISOString(),
            size === 'TIME_BUCKET_SIZE_MONTH' ? /-01T00:00:00.000Z$/ : /T00:00:00.000Z$/,
          )
          if (size === 'TIME_BUCKET_SIZE_WEEK') assert.equal(bucket.since.getUTCDay(), 1)
        }
      },
    ),
  )
})

const noon = new Date('2026-03-05T12:34:56.789Z')
const days: [title: string, given: { since?: string; until?: string } | undefined, since: string, until: string][] = [
  ['nothing: 30 days, today is the last', undefined, '2026-02-04', '2026-03-06'],
  ['a beginning', { since: '2026-03-01T10:00:00Z' }, '2026-03-01', '2026-03-06'],
  ['an end', { until: '2026-03-03T00:00:00.001Z' }, '2026-02-02', '2026-03-04'],
  ['whole days already', { since: '2026-03-01T00:00:00Z', until: '2026-03-03T00:00:00Z' }, '2026-03-01', '2026-03-03'],
  ['a moment of a day', { since: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' }, '2026-03-01', '2026-03-02'],
]
for (const [title, given, since, until] of days) {
  test(`whole days of ${title}`, () => {
    const period = readPeriod(given, noon, '', true)
    assert.deepEqual(
      [period.since.toISOString(), period.until.toISOString()],
      [since, until].map((day) => `${day}T00:00:00.000Z`),
    )
  })
}

test('whole days reach as far as time can be written', () => {
  const all = { since: '0000-01-01T00:00:00.001Z', until: '9999-12-31T23:59:59.999Z' }
  const { since, until } = readPeriod(all, noon, '', true)
  assert.deepEqual([since.toISOString(), until.toISOString()], ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
  assert.throws(
    () => readPeriod({ since: all.until, until: all.until }, noon, '/p', true),
    /since must be before until/,
  )
})
