import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { often } from '../../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { createRetention } from './retention.ts'
import { forgetFetches } from './retention-store.ts'

const dayMs = 86_400_000
const now = Date.parse('2026-11-15T12:00:00.000Z')
const start = now - 100 * dayMs
const mark = Date.parse('2026-10-06T00:00:00.000Z')
const clock = { at: now, now: () => new Date(clock.at) }
type Seen = { at: number; name: string; refused: boolean; advisoryId: string }
const seen: Seen[] = []
let gatehouse: TestGatehouse
let path: string

before(async () => {
  gatehouse = await openGatehouse({ clock, jobs: false })
  path = `/api/reporting/${gatehouse.owner.deploymentId}/reports/malware-firewall`
  const event = fc.record({
    at: fc.oneof(
      fc.integer({ min: start, max: now - 1 }),
      fc.nat(99).map((day) => mark - 50 * dayMs + day * dayMs),
    ),
    name: fc.constantFrom('a', 'b', 'c'),
    refused: fc.boolean(),
    advisoryId: fc.constantFrom('MAL-1', 'MAL-2', ''),
  })
  const events = fc.sample(event, { numRuns: 500, seed: 7 }).filter((each) => each.at < now)
  for (const each of events) await record(each)
  await gatehouse.recorder.flush()
  clock.at = now
})
after(() => gatehouse.close())

async function record(event: Seen): Promise<void> {
  clock.at = event.at
  seen.push(event)
  const rest = { deploymentId: gatehouse.owner.deploymentId, ecosystem: 'npm', version: '1.0.0', personId: 1 } as const
  // One client that was there only then, one that still is, and one that gets nothing but c.
  const tokenId = event.name === 'c' ? 3 : event.at < mark ? 2 : 1
  await gatehouse.recorder.record({ ...rest, ...event, tokenId })
}

const age = (detailDays: number) =>
  createRetention({ db: gatehouse.db, clock, detailDays, refusedDays: 60, fetchesAtOnce: 2 }).run()

async function ask(report: string, body: object) {
  const answer = await gatehouse.call('POST', `${path}/${report}`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

/** What is left that is finer than a day and older than the mark. */
async function details(): Promise<Record<string, number>> {
  const db = gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
  const old = new Date(mark)
  const [row] = await db.query<Record<string, number>>(sql`select
    (select count(*) from firewall_second where deployment_id = ${db.deploymentId} and at < ${old}) as seconds,
    (select count(*) from firewall_refusal where deployment_id = ${db.deploymentId} and at < ${old}) as refusals,
    (select count(*) from firewall_activity where deployment_id = ${db.deploymentId} and start < ${old}
      and grain in ('n', 'h')) as counters,
    (select count(*) from (select 1 from firewall_total where deployment_id = ${db.deploymentId} and hour < ${old}
      group by culprit_id, date_trunc('day', hour, 'UTC') having count(*) > 1) twice) as totals,
    (select count(*) from firewall_fetch where deployment_id = ${db.deploymentId} and last_at < ${old}) as fetches`)
  return row!
}

function within(since: number, until: number): Seen[] {
  return seen.filter((each) => each.at >= since && each.at < until)
}

function blockedIn(events: Seen[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { name, refused, advisoryId } of events) {
    if (refused && advisoryId) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

const edge = fc.oneof(
  fc.integer({ min: start, max: now }),
  fc.nat(99).map((day) => mark - 50 * dayMs + day * dayMs),
)
const period = fc
  .tuple(edge, edge)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ since: Math.min(a, b), until: Math.max(a, b) }))

/** All reports for any period are those of a slow count, of whole days where the mark says so. */
async function reportsAreRight(): Promise<void> {
  const floor = (at: number) => Math.floor(at / dayMs) * dayMs
  await fc.assert(
    fc.asyncProperty(period, async ({ since, until }) => {
      const from = since < mark ? floor(since) : since
      const to = since < mark && until < mark ? floor(until + dayMs - 1) : until
      const timePeriod = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
      const { rows } = await ask('blocked-mal-deps/by-dep-version-and-ecosystem', { filters: { timePeriod } })
      const told = rows.map((row: { dependency: string; totalBlocked: number }) => [row.dependency, row.totalBlocked])
      assert.deepEqual(new Map(told), blockedIn(within(from, to)))

      const { buckets } = await ask('scan-activity', { filters: { timePeriod } })
      assert.equal(Date.parse(buckets[0].timePeriod.since), from)
      assert.equal(Date.parse(buckets.at(-1).timePeriod.until), to)
      for (const { timePeriod: cut, blockingScans, nonBlockingScans } of buckets) {
        const own = within(Date.parse(cut.since), Date.parse(cut.until))
        const blocking = own.filter((each) => each.refused).length
        assert.deepEqual([blockingScans, nonBlockingScans], [blocking, own.length - blocking])
      }

      const { current, previous } = await ask('summary', { filters: { timePeriod } })
      assert.equal(previous.timePeriod.until, current.timePeriod.since)
      for (const figures of [current, previous]) {
        const own = within(Date.parse(figures.timePeriod.since), Date.parse(figures.timePeriod.until))
        assert.equal(figures.blockingScans + figures.nonBlockingScans, own.length)
        assert.equal(figures.blockedDependencies, blockedIn(own).size)
      }
    }),
    { numRuns: often(40) },
  )
}

test('reports are told first that only days are kept, and the days are folded an hour later', async () => {
  const whole = await details()
  for (const count of Object.values(whole)) assert.ok(count > 0)
  await age(40)
  assert.deepEqual(await details(), whole)
  await reportsAreRight()
  // A bounded number of days each time.
  for (let hour = 0; hour < 3; hour++) await age(40)
  assert.deepEqual(await details(), { seconds: 0, refusals: 0, counters: 0, totals: 0, fetches: 0 })
  await reportsAreRight()
})

test('what is counted late for a day that is folded already is in its reports too', async () => {
  await record({ at: mark - 5 * dayMs + 12_345, name: 'a', refused: true, advisoryId: 'MAL-1' })
  await record({ at: mark - 95 * dayMs + 12_345, name: 'c', refused: true, advisoryId: 'MAL-1' })
  await record({ at: mark - 6 * dayMs, name: 'b', refused: false, advisoryId: '' })
  await gatehouse.recorder.flush()
  clock.at = now
  await reportsAreRight()
  await age(40)
  assert.deepEqual(await details(), { seconds: 0, refusals: 0, counters: 0, totals: 0, fetches: 0 })
  await reportsAreRight()
})

test('who keeps more from now on does not get back what is gone, and reports know it', async () => {
  await age(1_000)
  await reportsAreRight()
})

test('who was refused is forgotten after its days, what was refused is not', async () => {
  clock.at = now
  const db = gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
  const known = async () =>
    (
      await db.query<{
        known: number
        all: number
      }>(sql`select count(*) filter (where person_id <> 0) as known, count(*) as all
        from firewall_refusal where deployment_id = ${db.deploymentId}`)
    )[0]!
  const rest = {
    deploymentId: gatehouse.owner.deploymentId,
    ecosystem: 'npm',
    version: '1.0.0',
    personId: 1,
    tokenId: 1,
  } as const
  const refusal = { rule: 'malicious', reason: 'because', client: 'npm', address: '10.0.0.1' }
  for (const days of [0, 5, 12]) {
    clock.at = now - days * dayMs
    await gatehouse.recorder.record({ ...rest, name: 'who', refused: true, advisoryId: 'MAL-9', refusal })
  }
  clock.at = now
  const before = await known()
  await createRetention({ db: gatehouse.db, clock, detailDays: 5_000, refusedDays: 10 }).run()
  const after = await known()
  assert.equal(after.all, before.all)
  const rows = await db.query<{ person: number; client: string; address: string; rule: string }>(sql`select
      person_id as person, client, address, rule from firewall_refusal
    where deployment_id = ${db.deploymentId} and rule = 'malicious' order by at`)
  const gone = { person: 0, client: '', address: '', rule: 'malicious' }
  const kept = { person: 1, client: 'npm', address: '10.0.0.1', rule: 'malicious' }
  assert.deepEqual(rows, [gone, kept, kept])
})

test('that somebody was given what is malicious is not forgotten', async () => {
  const db = gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
  const fetches = () =>
    db.query<{ token: number }>(sql`select token_id as token from firewall_fetch
      where deployment_id = ${db.deploymentId} order by token_id`)
  await gatehouse.db.transaction(systemActor(db.deploymentId, 'test'), async (tx) => {
    await tx.query(sql`insert into firewall_exposure
        (deployment_id, artifact_id, person_id, token_id, advisory_ids, fetched_at, found_at)
      select deployment_id, artifact_id, person_id, token_id, '{MAL-9}', first_at, last_at from firewall_fetch
      where deployment_id = ${tx.deploymentId} and token_id = 3 returning 1`)
  })
  clock.at = now + 200 * dayMs
  for (const _ of [1, 2, 3]) await age(40)
  clock.at = now
  assert.deepEqual(await fetches(), [{ token: 3 }])
})

test('who was given what is forgotten so many at a time, however many there are', async () => {
  const actor = systemActor(gatehouse.owner.deploymentId, 'test')
  const long = new Date(start - 100 * dayMs)
  const left = () =>
    gatehouse.db.as(actor).query<{ id: number }>(sql`select artifact_id as id from firewall_fetch
      where deployment_id = ${actor.deploymentId} and last_at <= ${long} order by 1`)
  await gatehouse.db.transaction(actor, (tx) =>
    tx.query(sql`insert into firewall_fetch (deployment_id, artifact_id, person_id, token_id, first_at, last_at)
      select ${actor.deploymentId}, 1000000 + n, 1, 1, ${long}, ${long} from generate_series(1, 5) n
      ${rowsNotCopied}`),
  )
  const forget = () => gatehouse.db.transaction(actor, (tx) => forgetFetches(tx, new Date(long.getTime() + 1), 2))
  assert.deepEqual([await forget(), (await left()).length], [true, 3])
  assert.deepEqual([await forget(), (await left()).length], [true, 1])
  assert.deepEqual([await forget(), (await left()).length], [false, 0])
})
