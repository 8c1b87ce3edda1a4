import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { ask } from '../../../test/reports/report-answers.ts'
import { reportsPath } from '../../../test/reports/report-world.ts'

let gatehouse: TestGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  const made = await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories', {
    body: { name: 'shop/web', tags: ['pci'] },
  })
  assert.equal(made.status, 200)
})
after(() => gatehouse.close())

test('what does not exist is refused and named, with a pointer to each', async () => {
  const filters = {
    projects: ['shop/web', 'no/such'],
    projectIds: ['987654321'],
    tags: ['pci', 'none'],
    teams: ['Ghosts'],
  }
  const answer = await gatehouse.call('POST', `${reportsPath}/funnel`, { body: { filters } })
  assert.equal(answer.status, 422)
  assert.deepEqual(
    answer.body.errors.map((error: { pointer: string; detail: string }) => `${error.pointer}: ${error.detail}`),
    [
      "/filters/projects/1: no repository 'no/such'",
      "/filters/projectIds/0: no repository '987654321'",
      "/filters/tags/1: no tag 'none'",
      "/filters/teams/0: no team 'Ghosts'",
    ],
  )
  const one = await gatehouse.call('POST', `${reportsPath}/guardrails-activity`, {
    body: { filters: { projects: ['no/such'] } },
  })
  assert.deepEqual([one.status, one.body.code], [422, 'unknown_repository'])
})

test('a category that there is not, a period that is none and too many buckets are refused', async () => {
  const refused: [object, string][] = [
    [{ findingCategories: ['colour'] }, '/filters/findingCategories/0'],
    [{ timePeriod: { since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' } }, '/filters/timePeriod'],
    [{ timePeriod: { since: '2000-01-01T00:00:00Z' }, timeBucketSize: 'TIME_BUCKET_SIZE_DAY' }, '/filters/timePeriod'],
    [{ project: ['shop/web'] }, '/filters/project'],
  ]
  for (const [filters, pointer] of refused) {
    const answer = await gatehouse.call('POST', `${reportsPath}/guardrails-activity`, { body: { filters } })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, pointer], JSON.stringify(filters))
  }
})

test('without filters it is the last 30 days, by day, zeros included', async () => {
  const report = await ask(gatehouse, 'guardrails-activity', {})
  assert.equal(report.buckets.length, 31)
  const { timePeriod, ...numbers } = report.buckets[7]
  assert.match(timePeriod.since, /T00:00:00.000Z$/)
  assert.deepEqual(Object.keys(numbers).sort(), ['fixed', 'ignored', 'open', 'provisionallyIgnored', 'silenced'])
})
