import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { ask, askAll } from '../../../../test/reports/report-answers.ts'
import { cases, periods, whole } from '../../../../test/reports/report-cases.ts'
import { depthOf, matching, productOf, stages, standingOf } from '../../../../test/reports/report-recount.ts'
import {
  buildWorld,
  type Raised,
  raisedFindings,
  reportsPath,
  type World,
} from '../../../../test/reports/report-world.ts'

let gatehouse: TestGatehouse
let world: World
let findings: Raised[]
let now = new Date('2026-05-10T12:34:56.789Z')

before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now } })
  world = await buildWorld(gatehouse)
  findings = await raisedFindings(gatehouse)
})
after(() => gatehouse.close())

test('every number leads to its findings, newest first, page by page', async () => {
  for (const { filters } of cases) {
    const asked = { ...periods[1]!, ...filters(world) }
    const counted = matching(findings, asked)
    for (const figure of ['silenced', 'open', 'fixed', 'ignored', 'provisionallyIgnored'] as const) {
      const ids = await askAll(gatehouse, 'guardrails-activity/findings', { filters: asked, figure })
      assert.deepEqual(
        ids,
        counted.filter((one) => standingOf(one) === figure).map((one) => one.id),
      )
    }
    for (const [at, stage] of stages.entries()) {
      const ids = await askAll(gatehouse, 'funnel/findings', { filters: asked, stage, pageSize: 7 })
      assert.deepEqual(
        ids,
        counted.filter((one) => depthOf(one) > at).map((one) => one.id),
      )
    }
  }
})

test('numbers of a bucket, of a product, and the totals lead to their findings', async () => {
  const report = await ask(gatehouse, 'guardrails-activity', { filters: whole })
  const bucket = report.buckets.find((each: { open: number }) => each.open > 1)
  const inBucket = await askAll(gatehouse, 'guardrails-activity/findings', {
    filters: whole,
    figure: 'open',
    bucket: bucket.timePeriod,
  })
  assert.equal(inBucket.length, bucket.open)
  const opened = await askAll(gatehouse, 'guardrails-activity/findings', { filters: whole, figure: 'totalOpened' })
  const fixed = await askAll(gatehouse, 'guardrails-activity/findings', { filters: whole, figure: 'totalFixed' })
  assert.deepEqual([opened.length, fixed.length], [report.totalOpened, report.totalFixed])
  const funnel = await ask(gatehouse, 'funnel', { filters: whole })
  for (const product of ['code', 'sca', 'secrets'] as const) {
    const ids = await askAll(gatehouse, 'funnel/findings', { filters: whole, stage: 'possiblyExploitable', product })
    assert.equal(ids.length, funnel.byProduct[product].possiblyExploitable)
    assert.ok(ids.every((id) => productOf(findings.find((one) => one.id === id)!) === product))
  }
})

test('a cursor continues only its own question', async () => {
  const body = { filters: whole, stage: 'allFindings', pageSize: 3 }
  const { cursor } = await ask(gatehouse, 'funnel/findings', body)
  const reordered = { timePeriod: { until: whole.timePeriod.until, since: whole.timePeriod.since } }
  await ask(gatehouse, 'funnel/findings', { ...body, filters: reordered, cursor })
  const others: [string, object][] = [
    ['funnel/findings', { ...body, stage: 'possiblyExploitable' }],
    ['funnel/findings', { ...body, product: 'sca' }],
    ['funnel/findings', { ...body, filters: { ...whole, tags: ['pci'] } }],
    ['funnel/findings', { ...body, filters: { ...whole, archived: false } }],
    ['guardrails-activity/findings', { filters: whole, figure: 'open' }],
    ['funnel/findings', { ...body, cursor: (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1) }],
  ]
  for (const [path, other] of others) {
    const answer = await gatehouse.call('POST', `${reportsPath}/${path}`, { body: { cursor, ...other } })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, '/cursor'], JSON.stringify(other))
  }
})

test('a list that goes up to now keeps its period from page to page', async () => {
  const body = { stage: 'allFindings', pageSize: 5 }
  const first = await ask(gatehouse, 'funnel/findings', body)
  const since = new Date(now.getTime() - 30 * 86_400_000)
  const expected = findings.filter((one) => depthOf(one) > 0 && one.raised_at >= since && one.raised_at < now)
  now = new Date(now.getTime() + 20 * 86_400_000)
  const ids = first.findingIds.map(Number)
  for (let { cursor } = first; cursor !== ''; ) {
    const page = await ask(gatehouse, 'funnel/findings', { ...body, cursor })
    ids.push(...page.findingIds.map(Number))
    cursor = page.cursor
  }
  assert.ok(ids.length > 10)
  assert.deepEqual(
    ids,
    expected.map((one) => one.id),
  )
})
