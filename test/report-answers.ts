import assert from 'node:assert/strict'
import type { ReportFilters } from '../src/capabilities/reports/filters.ts'
import type { TestHouse } from './house.ts'
import { matching, slowFunnel, slowGuardrails } from './report-recount.ts'
import { type Raised, reportsPath } from './report-world.ts'

export async function ask(house: TestHouse, path: string, body: object, as = house.owner.token) {
  const answer = await house.call('POST', `${reportsPath}/${path}`, { as, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export async function askAll(house: TestHouse, path: string, body: object, as?: string): Promise<number[]> {
  const ids: number[] = []
  for (let cursor = ''; ; ) {
    const page = await ask(house, path, { pageSize: 40, ...body, cursor }, as)
    ids.push(...page.findingIds.map(Number))
    if (!page.hasMore) return ids
    cursor = page.cursor
  }
}

/** Every number of both reports is what a recount of the findings that the caller sees says. */
export async function reportsHold(
  house: TestHouse,
  seen: Raised[],
  filters: ReportFilters,
  as?: string,
): Promise<void> {
  const { since, until } = filters.timePeriod!
  const counted = matching(seen, filters)
  const guardrails = await ask(house, 'guardrails-activity', { filters }, as)
  for (const { timePeriod, ...numbers } of guardrails.buckets) {
    assert.deepEqual(numbers, slowGuardrails(counted, timePeriod.since, timePeriod.until), JSON.stringify(timePeriod))
  }
  const { open, fixed, ignored, provisionallyIgnored } = slowGuardrails(counted, since!, until!)
  const totals = [guardrails.totalFixed, guardrails.totalOpened]
  assert.deepEqual(totals, [fixed, open + fixed + ignored + provisionallyIgnored])
  assert.deepEqual(await ask(house, 'funnel', { filters }, as), slowFunnel(counted))
}
