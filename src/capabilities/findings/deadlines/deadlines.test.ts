import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { upload } from '../../scans/test-upload.ts'
import { readFilter } from '../search/read-filter.ts'
import { search as searchFindings } from '../search/search-store.ts'
import { sarifLog } from '../test-log.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  await upload(
    gatehouse,
    { repository: 'shop/web' },
    {
      'log.sarif': sarifLog({
        results: [
          { rule: 'old-high', path: 'a.js', code: 'a', level: 'error' },
          { rule: 'new-high', path: 'b.js', code: 'b', level: 'error' },
          { rule: 'old-medium', path: 'c.js', code: 'c', level: 'warning' },
          { rule: 'old-fixing', path: 'd.js', code: 'd', level: 'error' },
          { rule: 'old-ignored', path: 'e.js', code: 'e', level: 'error' },
        ],
      }),
    },
  )
  const change = { repository: 'shop/web', ref: 'c', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main' }
  const raised = { rule: 'old-change', path: 'f.js', code: 'f', level: 'error' }
  await upload(gatehouse, change, { 'log.sarif': sarifLog({ results: [raised] }) })
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    tx.query(sql`with old as materialized (
        select f.id, f.raised_at - interval '240 hours' as at from finding f
        join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
        where f.deployment_id = 1 and rule.external_id like 'old-%')
      update finding f set raised_at = old.at from old where f.deployment_id = 1 and f.id = old.id`),
  )
  await decide('old-fixing', 'TRIAGE_STATE_FIXING')
  await decide('old-ignored', 'TRIAGE_STATE_IGNORED')
})
after(() => gatehouse.close())

const path = '/api/findings/1/deadlines'
const none = { critical: null, high: null, medium: null, low: null, info: null }

async function search(
  filter: object,
): Promise<{ id: string; ruleId: string; raisedAt: string; dueAt: string | null }[]> {
  const answer = await gatehouse.call('POST', '/api/findings/1/findings/search', { body: { filter } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.findings
}

const rules = async (filter: object) => (await search(filter)).map((each) => each.ruleId).sort()

async function decide(rule: string, triageState: string): Promise<void> {
  const answer = await gatehouse.call('POST', '/api/findings/1/findings/triage', {
    body: { filter: { ruleIds: [rule] }, triageState },
  })
  assert.equal(answer.status, 200)
}

async function put(deadlines: object): Promise<void> {
  const answer = await gatehouse.call('PUT', path, { body: deadlines })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(answer.body, deadlines)
}

test('before somebody sets a deadline nothing is due', async () => {
  assert.deepEqual((await gatehouse.call('GET', path)).body, none)
  assert.deepEqual(await rules({ overdue: true }), [])
  assert.ok((await search({})).every((each) => each.dueAt === null))
})

test('what stands on a branch for longer than its severity allows is overdue, and counted as such', async () => {
  await put({ ...none, high: 7, medium: 30 })
  assert.deepEqual(await rules({ overdue: true }), ['old-fixing', 'old-high'])
  assert.deepEqual(await rules({ overdue: false }), ['new-high', 'old-change', 'old-ignored', 'old-medium'])
  assert.deepEqual(await rules({ not: { overdue: true }, severities: ['SEVERITY_MEDIUM'] }), ['old-medium'])
  const counts = await gatehouse.call('POST', '/api/findings/1/findings/counts', {
    body: { filter: { overdue: true } },
  })
  assert.equal(counts.body.total, 2)
  const { items } = (await gatehouse.call('GET', '/api/deployments/v1/deployments/1/attention')).body
  assert.equal(items.find((each: { kind: string }) => each.kind === 'overdueFindings').count, 2)
})

test('a few that are overdue are found behind any number of others', async () => {
  const owner = systemActor(1, 'test')
  const page = { order: { by: 'raisedAt', direction: 'desc' }, after: undefined, limit: 51 } as const
  const wanted = readFilter(owner, { overdue: true })
  const found = await searchFindings(gatehouse.db.as(owner), owner, wanted, page, { first: 1, further: 1 })
  assert.deepEqual(
    [found.rows.map(({ rule }) => rule).sort(), found.lookedUpTo],
    [['old-fixing', 'old-high'], undefined],
  )
})

for (const days of [1, 3, 6, 9, 11]) {
  test(`what is counted after ${days} days is what the list has, for whoever sees it`, async () => {
    await put({ ...none, high: days, medium: days })
    const blind = await gatehouse.addPerson('member')
    for (const filter of [
      { overdue: true },
      { overdue: true, severities: ['SEVERITY_HIGH'] },
      { overdue: true, triageStates: ['TRIAGE_STATE_FIXING', 'TRIAGE_STATE_IGNORED'] },
      { overdue: true, products: ['PRODUCT_TYPE_SAST'], pullRequests: 'none' },
      { overdue: true, pullRequests: 'only' },
      { overdue: true, repositories: ['shop/web'] },
      { overdue: true, repositories: ['shop/till'] },
    ]) {
      for (const as of [gatehouse.owner.token, blind.token]) {
        const count = await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter }, as })
        const list = await gatehouse.call('POST', '/api/findings/1/findings/search', { body: { filter }, as })
        assert.equal(count.status, 200, JSON.stringify(count.body))
        assert.equal(count.body.total, list.body.findings.length, JSON.stringify(filter))
        const bySeverity = Object.values(count.body.bySeverity as Record<string, number>)
        assert.equal(
          bySeverity.reduce((sum, one) => sum + one, 0),
          count.body.total,
        )
      }
    }
  })
}

test('a finding says until when it may stand; what is settled or of a pull request is not due', async () => {
  await put({ ...none, high: 7, medium: 30 })
  const days = (await search({})).map(({ ruleId, raisedAt, dueAt }) => [
    ruleId,
    dueAt && (Date.parse(dueAt) - Date.parse(raisedAt)) / 86_400_000,
  ])
  assert.deepEqual(Object.fromEntries(days), {
    'old-high': 7,
    'new-high': 7,
    'old-medium': 30,
    'old-fixing': 7,
    'old-ignored': null,
    'old-change': null,
  })
})

test('a changed deadline holds at once, and the audit log has what it was', async () => {
  await put({ ...none, high: 7 })
  await put({ ...none, high: 20 })
  assert.deepEqual(await rules({ overdue: true }), [])
  const { events } = (await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?action=finding.deadlines')).body
  assert.deepEqual(events[0].detail, { from: { ...none, high: 7 }, to: { ...none, high: 20 } })
})

test('who has seen another version changes nothing, and who may not write policies neither', async () => {
  const { headers } = await gatehouse.call('GET', path)
  const ifMatch = { 'if-match': headers.get('etag')! }
  await put(none)
  const late = await gatehouse.call('PUT', path, { body: { ...none, low: 1 }, headers: ifMatch })
  assert.equal(late.status, 412)
  const reader = await gatehouse.addPerson('readonly')
  assert.equal((await gatehouse.call('PUT', path, { body: none, as: reader.token })).status, 403)
  assert.equal((await gatehouse.call('PUT', path, { body: { ...none, low: 0 } })).status, 400)
})
