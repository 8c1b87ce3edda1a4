import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import type { FirewallEvent } from '../recording/event.ts'

type Seen = FirewallEvent & { at: number }

const clock = { at: Date.parse('2026-11-15T12:00:00.000Z'), now: () => new Date(clock.at) }
const start = Date.parse('2026-08-20T00:00:00.000Z')
const seen: Seen[] = []
let gatehouse: TestGatehouse
let path: string

before(async () => {
  gatehouse = await openGatehouse({ clock })
  path = `/api/reporting/${gatehouse.owner.deploymentId}/reports/malware-firewall`
  // Many moments, some of them on the edges of seconds, hours, days and months.
  const moment = fc.oneof(
    fc.integer({ min: start, max: clock.at - 1 }),
    fc.integer({ min: 0, max: 80 }).map((day) => start + day * 86_400_000),
    fc.integer({ min: 0, max: 80 * 24 }).map((hour) => start + hour * 3_600_000 - 1),
    fc.constant(Date.parse('2026-10-01T00:00:00.000Z')),
  )
  const event = fc.record({
    at: moment,
    ecosystem: fc.constantFrom('npm', 'pypi', 'maven'),
    name: fc.constantFrom('a', 'b', 'c_d', 'c-d', 'ü'),
    version: fc.constantFrom('1.0.0', '2.0.0'),
    refused: fc.boolean(),
    advisoryId: fc.constantFrom('MAL-1', 'MAL-2', ''),
    personId: fc.constant(1),
    tokenId: fc.constantFrom(1, 2),
  })
  const now = clock.at
  const events = fc.sample(event, { numRuns: 400, seed: 20261115 }) as (Omit<Seen, 'deploymentId'> & { at: number })[]
  for (const each of events) {
    clock.at = each.at
    const recorded = { ...each, deploymentId: gatehouse.owner.deploymentId }
    const kept = gatehouse.recorder.record(recorded)
    seen.push(recorded)
    if (seen.length % 7 === 0) await Promise.all([kept, gatehouse.recorder.flush()])
  }
  await gatehouse.recorder.close()
  clock.at = now
})
after(() => gatehouse.close())

async function ask(report: string, body: object) {
  const answer = await gatehouse.call('POST', `${path}/${report}`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

function within(since: number, until: number): Seen[] {
  return seen.filter((each) => each.at >= since && each.at < until)
}

/** The whole list, page by page. */
async function allRows(report: string, timePeriod: object, limit: number) {
  const rows: unknown[] = []
  let cursor = ''
  do {
    // The interface calls it limit in its own report.
    const size = report.endsWith('by-advisory') ? { pageSize: limit } : { limit }
    const answer = await ask(report, { filters: { timePeriod }, ...size, cursor })
    assert.ok(answer.rows.length <= limit)
    rows.push(...answer.rows)
    cursor = answer.cursor
  } while (cursor !== '')
  return rows
}

function slowRows(events: Seen[]) {
  const counts = new Map<string, { dependency: string; version: string; ecosystem: string; totalBlocked: number }>()
  for (const { ecosystem, name, version, refused, advisoryId } of events) {
    if (!refused || advisoryId === '') continue
    const dependency = ecosystem === 'pypi' && name === 'c_d' ? 'c-d' : name
    const key = [dependency, version, ecosystem].join(' ')
    const row = counts.get(key) ?? { dependency, version, ecosystem, totalBlocked: 0 }
    counts.set(key, { ...row, totalBlocked: row.totalBlocked + 1 })
  }
  const order = (row: { dependency: string; version: string; ecosystem: string }) =>
    `${row.dependency}\0${row.version}\0${row.ecosystem}`
  return [...counts.values()].sort(
    (a, b) => b.totalBlocked - a.totalBlocked || Buffer.compare(Buffer.from(order(a)), Buffer.from(order(b))),
  )
}

const edge = fc.oneof(
  fc.integer({ min: start - 40 * 86_400_000, max: Date.parse('2026-12-20T00:00:00Z') }),
  fc.constantFrom(...[0, 1, 5, 77].map((day) => start + day * 86_400_000)),
  fc.nat(399).map((i) => seen[i]!.at),
  fc.nat(399).map((i) => seen[i]!.at + 1),
)
const period = fc.oneof(
  fc
    .tuple(edge, edge)
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => ({ since: Math.min(a, b), until: Math.max(a, b) })),
  // Short ones, too, around the events: across an hour or a midnight without a whole one in between.
  fc
    .tuple(edge, fc.nat(7_000_000), fc.integer({ min: 1, max: 7_000_000 }))
    .map(([at, before, length]) => ({ since: at - before, until: at - before + length })),
)

test('blocked dependencies equal a slow count, for any period and page size', async () => {
  await fc.assert(
    fc.asyncProperty(period, fc.integer({ min: 1, max: 30 }), async ({ since, until }, limit) => {
      const timePeriod = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
      const rows = await allRows('blocked-mal-deps/by-dep-version-and-ecosystem', timePeriod, limit)
      assert.deepEqual(rows, slowRows(within(since, until)))
    }),
    { numRuns: often(60) },
  )
})

test('scan activity equals a slow count in every bucket, for any period and size', async () => {
  const sizes = [undefined, 'TIME_BUCKET_SIZE_DAY', 'TIME_BUCKET_SIZE_WEEK', 'TIME_BUCKET_SIZE_MONTH']
  await fc.assert(
    fc.asyncProperty(period, fc.constantFrom(...sizes), async ({ since, until }, timeBucketSize) => {
      const timePeriod = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
      const { buckets } = await ask('scan-activity', { filters: { timePeriod, timeBucketSize } })
      assert.equal(buckets[0].timePeriod.since, timePeriod.since)
      assert.equal(buckets.at(-1).timePeriod.until, timePeriod.until)
      let end = timePeriod.since
      for (const bucket of buckets) {
        assert.equal(bucket.timePeriod.since, end)
        end = bucket.timePeriod.until
        const events = within(Date.parse(bucket.timePeriod.since), Date.parse(end))
        const blocking = events.filter((each) => each.refused).length
        assert.deepEqual([bucket.blockingScans, bucket.nonBlockingScans], [blocking, events.length - blocking])
      }
    }),
    { numRuns: often(60) },
  )
})

test('the companions equal a slow count too', async () => {
  await fc.assert(
    fc.asyncProperty(period, async ({ since, until }) => {
      const timePeriod = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
      const events = within(since, until)
      const { rows } = await ask('scan-activity/by-ecosystem', { filters: { timePeriod } })
      const expected = [...new Set(events.map((each) => each.ecosystem))].sort().map((ecosystem) => {
        const own = events.filter((each) => each.ecosystem === ecosystem)
        const blockingScans = own.filter((each) => each.refused).length
        return { ecosystem, blockingScans, nonBlockingScans: own.length - blockingScans }
      })
      assert.deepEqual(rows, expected)
      const advised = (await allRows('blocked-mal-deps/by-advisory', timePeriod, 1)) as { advisoryId: string }[]
      for (const id of ['MAL-1', 'MAL-2']) {
        const own = events.filter((each) => each.refused && each.advisoryId === id)
        const counted = { advisoryId: id, dependencies: slowRows(own).length, totalBlocked: own.length }
        assert.deepEqual(advised.find((row) => row.advisoryId === id) ?? { ...counted, totalBlocked: 0 }, counted)
      }
      const { current, previous } = await ask('summary', { filters: { timePeriod } })
      assert.equal(previous.timePeriod.until, timePeriod.since)
      for (const figures of [current, previous]) {
        const own = within(Date.parse(figures.timePeriod.since), Date.parse(figures.timePeriod.until))
        const blocked = slowRows(own)
        assert.equal(figures.blockingScans, own.filter((each) => each.refused).length)
        assert.equal(figures.nonBlockingScans, own.filter((each) => !each.refused).length)
        assert.equal(figures.blockedDependencies, blocked.length)
        assert.equal(
          figures.totalBlocked,
          blocked.reduce((sum, row) => sum + row.totalBlocked, 0),
        )
      }
    }),
    { numRuns: often(30) },
  )
})

test('a cursor goes on with the period of its first page, and with nothing else', async () => {
  const report = 'blocked-mal-deps/by-dep-version-and-ecosystem'
  const first = await ask(report, { limit: 1 })
  assert.notEqual(first.cursor, '')
  const whole = await ask(report, {})
  clock.at += 40 * 86_400_000
  const second = await ask(report, { limit: 1, cursor: first.cursor })
  assert.deepEqual([...first.rows, ...second.rows], whole.rows.slice(0, 2))
  clock.at -= 40 * 86_400_000

  const other = await gatehouse.addDeployment()
  const edited = `${first.cursor.slice(0, -2)}${first.cursor.endsWith('AA') ? 'BB' : 'AA'}`
  const refused: [string, object, object][] = [
    [path, { cursor: edited }, {}],
    [path, { cursor: 'x' }, {}],
    [path, { cursor: first.cursor, filters: { timePeriod: { since: '2026-09-01T00:00:00Z' } } }, {}],
    [`/api/reporting/${other.id}/reports/malware-firewall`, { cursor: first.cursor }, { as: other.as }],
  ]
  for (const [base, body, as] of refused) {
    const answer = await gatehouse.call('POST', `${base}/${report}`, { body, ...as })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.errors[0].pointer, '/cursor')
  }
  const foreign = await gatehouse.call('POST', `${path}/blocked-mal-deps/by-advisory`, {
    body: { cursor: first.cursor },
  })
  assert.equal(foreign.status, 400)
  const elsewhere = await gatehouse.call('POST', `/api/reporting/${other.id}/reports/malware-firewall/${report}`, {
    body: {},
    as: other.as,
  })
  assert.deepEqual(elsewhere.body, { rows: [], cursor: '' })
})

test('limits and periods outside their bounds are refused', async () => {
  const report = 'blocked-mal-deps/by-dep-version-and-ecosystem'
  const wrong = [
    { limit: 0 },
    { limit: 1001 },
    { filters: { timePeriod: { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' } } },
    { filters: { timeBucketSize: 'TIME_BUCKET_SIZE_YEAR' } },
  ]
  for (const body of wrong) assert.equal((await gatehouse.call('POST', `${path}/${report}`, { body })).status, 400)
  const years = { timePeriod: { since: '2020-01-01T00:00:00Z' }, timeBucketSize: 'TIME_BUCKET_SIZE_DAY' }
  assert.equal((await gatehouse.call('POST', `${path}/scan-activity`, { body: { filters: years } })).status, 400)
  // Every report takes a size of buckets, also those that have none.
  const taken = { limit: '1000', filters: { timeBucketSize: 'TIME_BUCKET_SIZE_DAY' } }
  assert.equal((await gatehouse.call('POST', `${path}/${report}`, { body: taken })).status, 200)
})
