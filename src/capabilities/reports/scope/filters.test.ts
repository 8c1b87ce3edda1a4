import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { ask, reportsHold } from '../../../../test/reports/report-answers.ts'
import { cases, periods, whole } from '../../../../test/reports/report-cases.ts'
import { depthOf, matching, standingOf } from '../../../../test/reports/report-recount.ts'
import { buildWorld, type Raised, raisedFindings, type World } from '../../../../test/reports/report-world.ts'
import { recount } from '../../findings/public.ts'

let gatehouse: TestGatehouse
let world: World
let findings: Raised[]

before(async () => {
  gatehouse = await openGatehouse()
  world = await buildWorld(gatehouse)
  findings = await raisedFindings(gatehouse)
})
after(() => gatehouse.close())

for (const { name, filters } of cases) {
  test(`the numbers for ${name} are those of a recount`, async () => {
    for (const period of periods) await reportsHold(gatehouse, findings, { ...period, ...filters(world) })
  })
}

test('the cases find something, and no two of the plain ones the same', () => {
  const found = cases.map(({ filters }) => matching(findings, { ...whole, ...filters(world) }).length)
  const empty = cases.filter((_, at) => found[at] === 0).map((each) => each.name)
  assert.deepEqual(empty, [
    'a team without repositories',
    'a rule that found nothing',
    'fields that exclude each other',
  ])
  for (const stage of [1, 2, 3, 4])
    assert.ok(
      findings.some((one) => depthOf(one) === stage),
      `depth ${stage}`,
    )
  for (const kind of ['silenced', 'open', 'fixed', 'provisionallyIgnored']) {
    assert.ok(
      findings.some((one) => standingOf(one) === kind),
      kind,
    )
  }
})

test('a finding on the very edge belongs to the period that begins there', async () => {
  for (const one of findings.filter((each) => each.pull_request > 0).slice(0, 5)) {
    const edge = one.raised_at.toISOString()
    const next = new Date(one.raised_at.getTime() + 1).toISOString()
    await reportsHold(gatehouse, findings, { timePeriod: { since: edge, until: next } })
    await reportsHold(gatehouse, findings, {
      timePeriod: { since: '2026-03-01T00:00:00Z', until: edge },
      projects: [one.repository],
    })
    await reportsHold(gatehouse, findings, {
      timePeriod: { since: edge, until: '2026-06-01T00:00:00Z' },
      ruleIds: [one.rule],
    })
  }
})

test('the findings themselves count the same', async () => {
  const raisedAt = whole.timePeriod
  const search = async (filter: object) =>
    (await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter: { raisedAt, ...filter } } }))
      .body
  const counts = await search({ pullRequests: 'none', once: true })
  const { TRIAGE_STATE_FIXED = 0, TRIAGE_STATE_IGNORED = 0 } = counts.byTriageState
  const funnel = await ask(gatehouse, 'funnel', { filters: whole })
  assert.equal(funnel.allFindings, counts.total - TRIAGE_STATE_FIXED - TRIAGE_STATE_IGNORED)
  const guardrails = await ask(gatehouse, 'guardrails-activity', { filters: whole })
  const shown = await search({ pullRequests: 'only', silenced: false })
  assert.deepEqual(
    [guardrails.totalOpened, guardrails.totalFixed],
    [shown.total, shown.byTriageState.TRIAGE_STATE_FIXED],
  )
})

test('the counters are what the findings amount to', async () => {
  assert.ok(findings.length > 200, `${findings.length} findings are too few to tell`)
  assert.deepEqual(await recount(gatehouse.db.as({ deploymentId: 1 })), [])
})
