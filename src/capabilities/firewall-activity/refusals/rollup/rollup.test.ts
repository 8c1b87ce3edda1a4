import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../../test/gatehouse.ts'
import { countRows } from '../../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../../kernel/access/actor.ts'
import { createRetention } from '../../retention/retention.ts'
import { refusedPeople } from '../people-store.ts'
import type { RefusalQuestion } from '../refusal-condition.ts'
import type { RefusalEvent, RefusalFilter, RefusedPerson } from '../refusal-contract.ts'
import { readRefusals, searchRefusals } from '../refusal-store.ts'
import { createRefusalRollup } from './rollup.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const now = Date.parse('2026-11-15T12:34:56.789Z')
const first = now - 70 * dayMs
const clock = { at: now, now: () => new Date(clock.at) }
let gatehouse: TestGatehouse

type Asked = {
  at: number
  ecosystem: 'npm' | 'pypi'
  name: string
  version: string
  rule: string
  advisoryId: string
  personId: number
  tokenId: number
  watched: boolean
  address: string
}

const event: fc.Arbitrary<Asked> = fc.record({
  // Many of one millisecond, and some at the very end of a span.
  at: fc.oneof(
    fc.integer({ min: first, max: now - 1 }),
    fc.nat(2).map((n) => now - 20 * dayMs - n * hourMs),
    fc.nat(2).map((n) => Date.parse('2026-10-01T00:00:00.000Z') + (n - 1) * dayMs - 1),
  ),
  ecosystem: fc.constantFrom('npm', 'pypi'),
  name: fc.constantFrom('left-pad', 'left-over', 'lodash', '@scope/one'),
  version: fc.constantFrom('1.0.0', '2.0.0'),
  rule: fc.constantFrom('malicious', 'malicious', 'malicious', 'denied', 'too_young'),
  advisoryId: fc.constantFrom('', 'MAL-1', 'MAL-2'),
  personId: fc.constantFrom(1, 2, 3),
  tokenId: fc.constantFrom(11, 12),
  watched: fc.boolean(),
  address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
})

before(async () => {
  gatehouse = await openGatehouse({ clock, jobs: false })
  for (const each of fc.sample(event, { numRuns: 260, seed: 3 })) await record(each)
  await gatehouse.recorder.flush()
  clock.at = now
})
after(() => gatehouse.close())

async function record({ at, rule, address, watched, ...asked }: Asked): Promise<void> {
  clock.at = at
  const refusal = { rule, reason: 'because', client: 'npm/11', address }
  await gatehouse.recorder.record({ ...asked, deploymentId: gatehouse.owner.deploymentId, refused: !watched, refusal })
}

const addUp = (mostSpans = 1_000) => createRefusalRollup({ db: gatehouse.db, clock, mostSpans }).run()

async function counts(): Promise<{ spans: number; sums: number }> {
  const [row] = await reader().query<{ spans: number; sums: number }>(
    sql`select (select count(*) from firewall_refusal_span)::int as spans, (select count(*) from firewall_refusal_sum)::int as sums`,
  )
  return row!
}

const reader = () => gatehouse.db.as(systemActor(gatehouse.owner.deploymentId, 'test'))
const path = () => `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/events`

const day = (text: string) => ({
  since: `${text}T00:00:00Z`,
  until: new Date(Date.parse(`${text}T00:00:00Z`) + dayMs).toISOString(),
})
const filters: RefusalFilter[] = [
  { ecosystems: ['pypi'] },
  { ecosystems: ['npm', 'pypi'] },
  { ecosystems: ['cargo'] },
  { package: 'lodash' },
  { package: 'left-*' },
  { package: '@scope/*', ecosystems: ['npm'] },
  { package: 'gone' },
  { version: '2.0.0' },
  { version: '3.0.0' },
  { rules: ['denied', 'too_young'] },
  { rules: ['held'] },
  { advisoryId: 'MAL-1' },
  { advisoryId: 'MAL-9' },
  { personIds: [2] },
  { personIds: [2, 3], tokenIds: [12], watched: true },
  { personIds: [99] },
  { tokenIds: [11] },
  { watched: false },
  { watched: true, rules: ['denied'], package: 'lodash', version: '1.0.0', advisoryId: 'MAL-2' },
  { rules: ['malicious'], since: '2026-10-03T04:05:06.007Z', until: '2026-11-02T10:11:12.013Z' },
  { rules: ['malicious'], since: '2026-10-01T00:00:00Z' },
  { ecosystems: ['npm'], until: '2026-10-31T23:59:59.999Z' },
  { ecosystems: ['npm'], ...day('2026-10-20') },
  { since: '2026-09-30T23:59:59.999Z', until: '2026-11-01T00:00:00.001Z' },
  {},
]

async function searched(filter: RefusalFilter, pageSize: number): Promise<RefusalEvent[]> {
  const events: RefusalEvent[] = []
  let cursor = ''
  do {
    const { status, body } = await gatehouse.call('POST', `${path()}/search`, { body: { filter, pageSize, cursor } })
    assert.equal(status, 200, JSON.stringify(body))
    events.push(...body.events)
    cursor = body.cursor
  } while (cursor)
  return events
}

/** Every refusal, looked at one by one. */
async function recounted(filter: RefusalFilter): Promise<RefusalEvent[]> {
  const answer = await gatehouse.call('POST', `${path()}/export`, { body: { filter } })
  assert.equal(answer.status, 200)
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function peopleIn(events: readonly RefusalEvent[]): Omit<RefusedPerson, 'personName' | 'isService'>[] {
  const people = [...Map.groupBy(events, (each) => each.personId)].map(([personId, own]) => ({
    personId,
    count: own.reduce((sum, each) => sum + each.count, 0),
    versionCount: new Set(own.map((each) => `${each.ecosystem} ${each.name} ${each.version}`)).size,
    lastAt: own[0]!.at,
  }))
  return people.sort((a, b) => b.count - a.count || a.personId - b.personId)
}

async function assertSame(): Promise<void> {
  for (const filter of filters) {
    const expected = await recounted(filter)
    // Many pages of what is frequent, a few of what is rare, and one of all.
    assert.deepEqual(await searched(filter, expected.length > 40 ? 23 : 3), expected, JSON.stringify(filter))
    assert.deepEqual(await searched(filter, 100), expected, JSON.stringify(filter))
    const { body } = await gatehouse.call('POST', `${path()}/people`, { body: { filter } })
    const people = body.people.map(({ personName: _, isService: __, ...rest }: RefusedPerson) => rest)
    assert.deepEqual(people, peopleIn(expected), JSON.stringify(filter))
  }
}

test('answers are the same before, while and after refusals are added up', async () => {
  await assertSame()
  await addUp(40)
  assert.equal((await counts()).spans, 40)
  await assertSame()
  await addUp()
  assert.ok((await counts()).spans > 80)
  await assertSame()
})

test('what is recorded late is in the answers at once, and added up again', async () => {
  await addUp()
  const before = await counts()
  const late = Date.parse('2026-10-07T08:09:10.011Z')
  const asked = {
    ecosystem: 'npm',
    name: 'late',
    version: '1.0.0',
    rule: 'denied',
    advisoryId: '',
    personId: 2,
  } as const
  for (const watched of [true, false]) await record({ ...asked, at: late, tokenId: 11, watched, address: '' })
  clock.at = now
  await gatehouse.recorder.flush()
  assert.equal((await searched({ package: 'late' }, 7)).length, 2)
  await assertSame()
  await addUp()
  assert.equal((await searched({ package: 'late' }, 7)).length, 2)
  assert.ok((await counts()).sums > before.sums)
  await assertSame()
})

test('what is added up costs a page no refusal that it does not show, and people none', async () => {
  await addUp()
  // The hours that are over; what was refused since is read as it is.
  const until = new Date('2026-11-15T12:00:00Z')
  const read = async (work: (db: ReturnType<typeof countRows>) => Promise<unknown[]>) => {
    const db = countRows(reader())
    const { length } = await work(db)
    return { length, refusals: db.rowsOf('firewall_refusal') }
  }
  const none: RefusalQuestion[] = [
    { ecosystems: ['cargo'] },
    { rules: ['held'] },
    { advisoryId: 'MAL-9' },
    { tokenIds: [99] },
  ]
  for (const question of none) {
    assert.deepEqual(await read((db) => searchRefusals(db, { ...question, until }, undefined, 50)), {
      length: 0,
      refusals: 0,
    })
  }
  const few = { personIds: [3], rules: ['too_young'], until }
  const found = await read((db) => searchRefusals(db, few, undefined, 5))
  assert.equal(found.length, 5)
  const each = await read((db) => readRefusals(db, few, undefined, 100))
  // Of a small table PostgreSQL may read more than an index leads to.
  assert.ok(found.refusals < each.refusals, `${found.refusals} of ${each.refusals} refusals were read`)
  for (const question of [
    { until },
    { until, ecosystems: ['npm'] },
    { until, personIds: [1] },
    { until, version: '1.0.0' },
  ]) {
    const people = await read((db) => refusedPeople(db, question, 100))
    assert.deepEqual([people.length > 0, people.refusals], [true, 0])
  }
})

test('people who are forgotten are in no sum', async () => {
  const age = () => createRetention({ db: gatehouse.db, clock, detailDays: 60, refusedDays: 35 }).run()
  const named = async (before: string) => {
    const [row] = await reader().query<{ count: number }>(sql`select count(*)::int as count from firewall_refusal_sum
      where person_id <> 0 and first_at < ${before}::timestamptz`)
    return row!.count
  }
  await addUp()
  const forgottenBefore = '2026-10-11T00:00:00Z'
  assert.ok((await named(forgottenBefore)) > 30)
  // Thirty days in one go.
  await age()
  await age()
  assert.equal(await named(forgottenBefore), 0)
  await assertSame()
  await addUp()
  assert.equal(await named(forgottenBefore), 0)
  assert.ok((await named('2026-11-01T00:00:00Z')) > 30)
  await assertSame()
})

test('days of which only counters are left have no sums', async () => {
  const age = () => createRetention({ db: gatehouse.db, clock, detailDays: 50, refusedDays: 35 }).run()
  // Reports are told first, and days are folded an hour later.
  await age()
  await age()
  await assertSame()
  await addUp()
  const [row] = await reader().query<{ first: Date }>(sql`select min(start) as first from firewall_refusal_span`)
  assert.equal(row!.first.toISOString(), '2026-09-26T00:00:00.000Z')
  await assertSame()
})

test('spans that the release before leaves behind are not believed', async () => {
  await addUp()
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  await admin.query(`update firewall_refusal set person_id = 0, token_id = 0 where at < '2026-10-20'`)
  await admin.query(`update firewall_deployment set refused_unknown_before = '2026-10-20'`)
  await assertSame()
  await addUp()
  await assertSame()
  const { rows } = await admin.query(`select count(*)::int as count from firewall_refusal_sum
    where person_id <> 0 and first_at < '2026-10-20'`)
  await admin.end()
  assert.deepEqual(rows, [{ count: 0 }])
})
