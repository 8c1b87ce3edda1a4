import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { ask } from '../../../../test/reports/report-answers.ts'
import { cases, periods } from '../../../../test/reports/report-cases.ts'
import { buildWorld, type World } from '../../../../test/reports/report-world.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { createDayCounting } from '../../findings/counters/day-counting.ts'
import { rebuildCounters, recount } from '../../findings/public.ts'
import { countEver, countFixesByDays, countGroupsByDays, countStandingByDays } from './day-store.ts'
import { rowsByDays } from './rows.ts'
import { isDrawn, rateFor, rates, splitBySize } from './sample.ts'
import { countFixes, countGroups, countStanding } from './trend-store.ts'

type Row = { id: number; repository: string; pull_request: number; duplicate: boolean; raised_at: Date; state: number }
type Change = { finding_id: number; seq: number; at: Date; from_state: number; to_state: number }

let gatehouse: TestGatehouse
let world: World
let findings: Row[]
let history: Map<number, Change[]>
const now = new Date('2026-06-10T12:00:00.000Z')

before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now } })
  world = await buildWorld(gatehouse)
  await settleSome()
  const reader = gatehouse.db.as({ deploymentId: 1 })
  findings = await reader.query<Row>(sql`select f.id, r.name as repository, pull_request, duplicate, raised_at, state
    from finding f join repository r on r.deployment_id = 1 and r.id = f.repository_id where f.deployment_id = 1`)
  const changes = await reader.query<Change>(sql`select finding_id, seq, at, from_state, to_state
    from finding_history where deployment_id = 1 order by at, seq`)
  history = Map.groupBy(changes, (change) => change.finding_id)
})
after(() => gatehouse.close())

/** Decided on while the report's clock stands, and moved back to a day of its own each. */
async function settleSome(): Promise<void> {
  await gatehouse.db.transaction({ deploymentId: 1, personId: 1, tokenId: 0, requestId: 'test' } as never, (tx) =>
    tx.query(sql`with chosen as (
        select id, raised_at + row_number() over (order by id) * interval '3 days' as at from finding
        where deployment_id = 1 and pull_request = 0 and state = 1 and change_count = 0 limit 12
      ), changed as (
        update finding f set state = 7, change_count = 1, state_at = chosen.at, fixed_at = chosen.at
        from chosen where f.deployment_id = 1 and f.id = chosen.id returning f.id, f.state_at)
      insert into finding_history (deployment_id, finding_id, seq, at, from_state, from_reason, to_state, to_reason,
        decided_by, decider_id, token_id, scan_id, note)
      select 1, id, 1, state_at, 1, 0, 7, 0, 0, 0, 0, 0, '' from changed returning 1`),
  )
  await gatehouse.db.transaction(systemActor(1, 'test'), rebuildCounters)
}

/** As a process of the release before leaves it. */
async function putOff(): Promise<void> {
  await gatehouse.db.transaction({ deploymentId: 1, personId: 1, tokenId: 0, requestId: 'test' } as never, (tx) =>
    tx.query(sql`insert into finding_days_due select 1, id from repository where deployment_id = 1 ${rowsNotCopied}`),
  )
}

/** By going through the history of one finding after the other. */
function standsAt(finding: Row, at: Date): boolean {
  if (finding.pull_request > 0 || finding.duplicate || finding.raised_at > at) return false
  const changes = history.get(finding.id) ?? []
  const last = changes.findLast((change) => change.at <= at)
  return (last?.to_state ?? changes[0]?.from_state ?? finding.state) <= 5
}

async function countOf(filter: object): Promise<number> {
  const answer = await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.total
}

test('a point is what stood then, whatever became of it, and the filter finds just those', async () => {
  const seen = new Set<number>()
  for (const period of periods) {
    const { points } = await ask(gatehouse, 'trends', { filters: period })
    assert.ok(points.length > 0)
    for (const { at, open, medianAgeSeconds } of points) {
      const standing = findings.filter((finding) => standsAt(finding, new Date(at)))
      assert.equal(open, standing.length, at)
      assert.equal(await countOf({ standingAt: at }), open)
      const raised = standing.map((each) => each.raised_at.getTime()).sort((a, b) => a - b)
      const middle = raised[Math.ceil(raised.length / 2) - 1]
      assert.equal(medianAgeSeconds, middle === undefined ? 0 : Math.floor((Date.parse(at) - middle) / 1_000))
      seen.add(open)
    }
  }
  assert.ok(seen.size > 2, 'the backlog has changed')
})

const whole = { timePeriod: { since: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' } }

test('fixes are counted where they happened, with how long they took', async () => {
  const { fixes } = await ask(gatehouse, 'trends', { filters: whole })
  let total = 0
  for (const { timePeriod, fixed, medianSecondsToFix } of fixes) {
    const filter = { triageStates: ['TRIAGE_STATE_FIXED'], pullRequests: 'none', once: true, fixedAt: timePeriod }
    assert.equal(await countOf(filter), fixed)
    assert.equal(medianSecondsToFix > 0, fixed > 0)
    total += fixed
  }
  assert.ok(total >= 12)
})

test('rows are the same numbers for each repository, team and tag, within what the filters name', async () => {
  for (const { filters } of cases) {
    const asked = { ...whole, ...filters(world) }
    const { points, fixes, rows } = await ask(gatehouse, 'trends', { filters: asked, by: 'repository' })
    type Numbers = { open: number; fixed: number }
    const sum = (all: Numbers[], name: keyof Numbers) => all.reduce((total, each) => total + each[name], 0)
    assert.equal(sum(rows, 'open'), points.at(-1).open)
    assert.equal(sum(rows, 'fixed'), sum(fixes, 'fixed'))
  }
  for (const [by, field] of [
    ['team', 'teams'],
    ['tag', 'tags'],
    ['repository', 'projects'],
  ] as const) {
    const { rows } = await ask(gatehouse, 'trends', { filters: whole, by })
    assert.ok(rows.length > 1, by)
    for (const row of rows) {
      const { points, fixes } = await ask(gatehouse, 'trends', { filters: { ...whole, [field]: [row.key] } })
      assert.equal(points.at(-1).open, row.open, `${by} ${row.key}`)
      assert.equal(points.at(-1).medianAgeSeconds, row.medianAgeSeconds)
      assert.equal(
        fixes.reduce((total: number, each: { fixed: number }) => total + each.fixed, 0),
        row.fixed,
      )
    }
  }
})

test('trends of some repositories go along their findings, and not through those of all', async () => {
  const wanted = { repositories: [1], rules: undefined, categories: undefined, rate: 1 as const }
  const buckets = [{ since: new Date('2025-01-01T00:00:00Z'), until: now }]
  const counting = countRows(gatehouse.db.as({ deploymentId: 1 }))
  await countStanding(counting, wanted, [now])
  await countFixes(counting, wanted, buckets)
  await countGroups(counting, wanted, { by: 'repository', at: now, buckets })
  assert.deepEqual(
    counting.statements.map((text) => text.match(/from finding f where/g)?.length),
    counting.statements.map((text) => text.match(/and f\.repository_id = one\.id/g)?.length),
  )
  assert.equal(counting.statements.length, 3)
})

test('who sees a part of the repositories counts that part, and bad questions are refused', async () => {
  const { id, token } = await gatehouse.addPerson('member')
  const teams = '/api/permissions/v2/deployments/1/teams'
  const all = (await gatehouse.call('GET', teams)).body.teams as { id: string; slug: string }[]
  const checkout = all.find(({ slug }) => slug === 'checkout')!
  const joined = await gatehouse.call('PATCH', `${teams}/${checkout.id}`, {
    body: { team: { users: [{ userId: id }] } },
  })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  const path = '/api/reporting/1/reports/trends'
  const own = await gatehouse.call('POST', path, { as: token, body: { filters: whole, by: 'repository' } })
  assert.equal(own.status, 200)
  const seen = await gatehouse.call('POST', '/api/findings/1/findings/counts', {
    as: token,
    body: { filter: { standingAt: own.body.points.at(-1).at } },
  })
  assert.equal(own.body.points.at(-1).open, seen.body.total)
  const { points } = await ask(gatehouse, 'trends', { filters: whole })
  assert.ok(seen.body.total > 0 && seen.body.total < points.at(-1).open)
  for (const body of [{ by: 'colour' }, { filters: { teams: ['unheard-of'] } }])
    assert.ok([400, 422].includes((await gatehouse.call('POST', path, { body })).status))
})

const everything = { rules: undefined, categories: undefined, rate: 1 as const }

test('days tell what the findings and their history tell, at every moment and of every scope', async () => {
  const reader = gatehouse.db.as({ deploymentId: 1 })
  const ids = [...world.ids.values()].map(Number)
  const by = ['repository', 'team', 'tag'] as const
  for (const repositories of [undefined, ids.slice(0, 1), ids.slice(0, 3), ids, []]) {
    const all = { ...everything, repositories }
    for (const period of [...periods, whole]) {
      const { points, fixes } = await ask(gatehouse, 'trends', { filters: period })
      const moments: Date[] = [...new Set<string>(points.map((point: { at: string }) => point.at))].map(
        (at) => new Date(at),
      )
      const standing = new Map((await countStanding(reader, all, moments)).map((row) => [row.point, row.open]))
      assert.deepEqual(
        (await countStandingByDays(reader, repositories, moments))!.map(({ open }) => open),
        moments.map((_, at) => standing.get(at + 1) ?? 0),
      )
      const buckets = fixes.map(({ timePeriod }: { timePeriod: { since: string; until: string } }) => ({
        since: new Date(timePeriod.since),
        until: new Date(timePeriod.until),
      }))
      const counted = (rows: { bucket: number; fixed: number }[]) =>
        rows
          .map(({ bucket, fixed }) => ({ bucket, fixed }))
          .filter(({ fixed }) => fixed > 0)
          .sort((a, b) => a.bucket - b.bucket)
      assert.deepEqual(
        counted((await countFixesByDays(reader, repositories, buckets))!),
        counted(await countFixes(reader, all, buckets)),
      )
      for (const group of by) {
        const asked = { by: group, at: moments.at(-1)!, buckets }
        const rows = await countGroups(reader, all, asked)
        const groups = (await countGroupsByDays(reader, repositories, asked))!
        const plain = (some: { key: string; name: string; open: number; fixed: number }[]) =>
          some.map(({ key, name, open, fixed }) => ({ key, name, open, fixed }))
        assert.deepEqual(plain(groups), plain(rows))
        const shown = await rowsByDays(reader, all, asked)
        assert.deepEqual(
          shown!.rows.map((row) => [row.key, row.medianAgeSeconds, row.medianSecondsToFix]),
          rows.map((row) => [row.key, row.age, row.median]),
          'small ones are read whole',
        )
      }
    }
  }
  assert.equal(await countEver(reader, undefined), findings.length)
})

test('nothing is read from days while any is due, and a task counts them', async () => {
  const reader = gatehouse.db.as({ deploymentId: 1 })
  const activity = await ask(gatehouse, 'activity', { filters: whole })
  await putOff()
  assert.equal(await countEver(reader, undefined), undefined)
  assert.equal(await countStandingByDays(reader, undefined, [now]), undefined)
  assert.deepEqual(await ask(gatehouse, 'activity', { filters: whole }), activity)
  await createDayCounting(gatehouse.db).run()
  assert.equal(await countEver(reader, undefined), findings.length)
  assert.deepEqual(await ask(gatehouse, 'activity', { filters: whole }), activity)
  assert.deepEqual(await recount(reader), [])
})

test('what a process of the release before moves is due', async () => {
  const due = () => gatehouse.db.as({ deploymentId: 1 }).query(sql`select repository_id as id from finding_days_due`)
  for (const moved of [
    sql`move_finding_tallies(1, '{1}', '{17}', '{0}')`,
    sql`move_finding_counts(1, '{1}', '{1}', '{1}', array[now()], '{0}', '{0}')`,
  ]) {
    assert.deepEqual(await due(), [])
    await gatehouse.db.transaction({ deploymentId: 1, personId: 1, tokenId: 0, requestId: 'test' } as never, (tx) =>
      tx.query(sql`select ${moved}`),
    )
    assert.deepEqual(await due(), [{ id: 1 }])
    await createDayCounting(gatehouse.db).run()
  }
})

test('the more findings there are, the fewer of them are drawn, and never many', () => {
  for (const [found, rate] of [
    [0, 1],
    [10_000, 1],
    [10_001, 16],
    [640_000, 16],
    [640_001, 256],
    [10_240_000, 256],
    [10_240_001, 4096],
    [1e9, 4096],
  ] as const)
    assert.equal(rateFor(found), rate, `${found}`)
  const sizes = [900, 1_200, 500, 3_000].map((size) => ({ findings: size }))
  assert.deepEqual(splitBySize(sizes), {
    whole: [{ findings: 500 }, { findings: 900 }],
    drawn: [{ findings: 1_200 }, { findings: 3_000 }],
  })
})

test('a sample is read along its own index, which has no others', async () => {
  const reader = gatehouse.db.as({ deploymentId: 1 })
  for (const rate of rates.slice(1)) {
    const [row] = await reader.query<{ definition: string }>(
      sql`select pg_get_indexdef(to_regclass(${`finding_sample_of_${rate}`})) as definition`,
    )
    assert.match(row!.definition, new RegExp(`\\(\\(hashint8\\(id\\) & ${rate - 1}\\) = 0\\)`))
    assert.equal(isDrawn(rate).text, `and hashint8(f.id) & ${rate - 1} = 0`)
  }
  const drawn = findings.filter(({ pull_request, duplicate }) => pull_request === 0 && !duplicate)
  const rows = await countStanding(reader, { ...everything, repositories: undefined, rate: 16 }, [now])
  const [all] = await countStanding(reader, { ...everything, repositories: undefined }, [now])
  assert.ok((rows[0]?.open ?? 0) < all!.open && all!.open <= drawn.length)
})
