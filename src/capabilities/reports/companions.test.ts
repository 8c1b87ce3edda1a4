import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { ask, backlogHolds } from '../../../test/reports/report-answers.ts'
import { cases, periods, whole } from '../../../test/reports/report-cases.ts'
import { type Changed, matching, slowActivity } from '../../../test/reports/report-recount.ts'
import { buildWorld, type Raised, raisedFindings, type World } from '../../../test/reports/report-world.ts'

let gatehouse: TestGatehouse
let world: World
let findings: Raised[]
let history: Changed[]
const now = new Date('2026-06-10T12:00:00.000Z')

before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now } })
  world = await buildWorld(gatehouse)
  findings = await raisedFindings(gatehouse)
  history = await gatehouse.db.as({ deploymentId: 1 }).query<Changed>(sql`select finding_id, at, from_state, to_state
    from finding_history where deployment_id = 1`)
})
after(() => gatehouse.close())

const always = { timePeriod: { since: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' } }

test('activity counts what happened in each bucket, whenever its finding was raised', async () => {
  const seen = { opened: 0, fixed: 0, reopened: 0, provisionallyIgnored: 0 }
  for (const { filters } of cases) {
    for (const period of periods) {
      const chosen = matching(findings, { ...filters(world), ...always })
      const { buckets } = await ask(gatehouse, 'activity', { filters: { ...period, ...filters(world) } })
      for (const { timePeriod, ...numbers } of buckets) {
        assert.deepEqual(numbers, slowActivity(chosen, history, timePeriod.since, timePeriod.until))
        for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += numbers[name]
      }
    }
  }
  assert.ok(seen.opened > 0 && seen.fixed > 0 && seen.provisionallyIgnored > 0, JSON.stringify(seen))
})

test('asked for once, every number of the activity is that of the findings found by what happened', async () => {
  const counted: string[] = []
  for (const period of periods) {
    const { buckets } = await ask(gatehouse, 'activity', { filters: period, once: true })
    for (const { timePeriod, opened: _, ...numbers } of buckets) {
      for (const [happened, number] of Object.entries(numbers)) {
        const filter = { happened, happenedAt: timePeriod }
        const answer = await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter } })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        assert.equal(answer.body.total, number, `${happened} ${timePeriod.since}`)
        if (number !== 0) counted.push(happened)
      }
    }
  }
  assert.ok(counted.includes('fixed') && counted.includes('provisionallyIgnored'))
})

test('what happened twice to a finding counts twice, and once if asked for', async () => {
  const [finding] = findings
  const path = `/api/findings/1/findings/${finding!.id}`
  const states = ['FIXED', 'REOPENED', 'FIXED', 'REOPENED', 'IGNORED'].map((state) => `TRIAGE_STATE_${state}`)
  const today = { timePeriod: { since: new Date(Date.now() - 3_600_000), until: new Date(Date.now() + 3_600_000) } }
  const sums = async (once: boolean) => {
    const { buckets } = await ask(gatehouse, 'activity', { filters: today, once })
    const sum = (name: string) =>
      buckets.reduce((total: number, each: Record<string, number>) => total + each[name]!, 0)
    return { fixed: sum('fixed'), reopened: sum('reopened') }
  }
  const [everyTime, once] = [await sums(false), await sums(true)]
  for (const triageState of states)
    assert.equal((await gatehouse.call('POST', path, { body: { triageState } })).status, 200)
  assert.deepEqual(await sums(false), { fixed: everyTime.fixed + 2, reopened: everyTime.reopened + 2 })
  const now = await sums(true)
  assert.ok(now.fixed <= once.fixed + 1 && now.reopened <= once.reopened + 1, 'at an hour there may be two buckets')
})

test('the backlog is what the funnel starts with, by product, severity and rule', async () => {
  findings = await raisedFindings(gatehouse)
  for (const { filters } of cases) {
    for (const period of periods) {
      const asked = { ...period, ...filters(world) }
      await backlogHolds(gatehouse, findings, asked, now)
      const { total, byProduct } = await ask(gatehouse, 'backlog', { filters: asked })
      const funnel = await ask(gatehouse, 'funnel', { filters: asked })
      assert.equal(total, funnel.allFindings)
      for (const kind of ['code', 'sca', 'secrets']) assert.equal(byProduct[kind], funnel.byProduct[kind].allFindings)
    }
  }
})

test('beyond a hundred rules the rest is told as one', async () => {
  const results = Array.from({ length: 103 }, (_, at) => ({
    ruleId: `rule-${String(at).padStart(3, '0')}`,
    level: 'error',
    message: { text: 'no' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' }, region: { startLine: 1 + at } } }],
  }))
  const log = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Many' } }, results }] })
  const query = `repository=many/rules&ref=main&path=log.sarif`
  const sent = await gatehouse.call('POST', `/api/scans/v1/deployments/1/scans/raw?${query}`, {
    body: log,
    headers: { 'content-type': 'application/octet-stream' },
  })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const backlog = await ask(gatehouse, 'backlog', { filters: { ...always, projects: ['many/rules'] } })
  assert.deepEqual([backlog.total, backlog.byRule.length, backlog.otherRules], [103, 100, 3])
  assert.deepEqual([backlog.byRule[0].ruleId, backlog.byRule[99].ruleId], ['rule-000', 'rule-099'])
  assert.equal(
    (await ask(gatehouse, 'backlog', { filters: whole })).total,
    (await ask(gatehouse, 'funnel', { filters: whole })).allFindings,
  )
})

test('what the backlog says of findings that name no rule can be asked about', async () => {
  const results = ['a.js', 'b.js'].map((uri) => ({
    message: { text: 'no' },
    locations: [{ physicalLocation: { artifactLocation: { uri } } }],
  }))
  const log = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Nameless' } }, results }] })
  const sent = await gatehouse.call(
    'POST',
    '/api/scans/v1/deployments/1/scans/raw?repository=no/rules&ref=main&path=a.sarif',
    { body: log, headers: { 'content-type': 'application/octet-stream' } },
  )
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const backlog = await ask(gatehouse, 'backlog', { filters: { ...always, projects: ['no/rules'] } })
  assert.deepEqual(backlog.byRule, [{ ruleId: '', count: 2 }])
  const filters = { ...always, projects: ['no/rules'], ruleIds: [''] }
  assert.equal((await ask(gatehouse, 'funnel', { filters })).allFindings, 2)
  assert.equal((await ask(gatehouse, 'funnel/findings', { filters, stage: 'allFindings' })).findingIds.length, 2)
})
