import assert from 'node:assert/strict'
import type { ReportFilters } from '../../src/capabilities/reports/scope/filters.ts'
import type { TestGatehouse } from '../gatehouse.ts'
import {
  type Changed,
  matching,
  slowActivity,
  slowBacklog,
  slowFunnel,
  slowGuardrails,
  slowOpened,
  stages,
} from './report-recount.ts'
import { type Raised, reportsPath } from './report-world.ts'

export async function ask(gatehouse: TestGatehouse, path: string, body: object, as = gatehouse.owner.token) {
  const answer = await gatehouse.call('POST', `${reportsPath}/${path}`, { as, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export async function askAll(gatehouse: TestGatehouse, path: string, body: object, as?: string): Promise<number[]> {
  const ids: number[] = []
  for (let cursor = ''; ; ) {
    const page = await ask(gatehouse, path, { pageSize: 40, ...body, cursor }, as)
    ids.push(...page.findingIds.map(Number))
    if (!page.hasMore) return ids
    cursor = page.cursor
  }
}

/** Every number of both reports is what a recount of the findings that the caller sees says. */
export async function reportsHold(
  gatehouse: TestGatehouse,
  seen: Raised[],
  filters: ReportFilters,
  as?: string,
): Promise<void> {
  const { since, until } = filters.timePeriod!
  const counted = matching(seen, filters)
  const guardrails = await ask(gatehouse, 'guardrails-activity', { filters }, as)
  for (const { timePeriod, ...numbers } of guardrails.buckets) {
    assert.deepEqual(numbers, slowGuardrails(counted, timePeriod.since, timePeriod.until), JSON.stringify(timePeriod))
  }
  const { fixed } = slowGuardrails(counted, since!, until!)
  assert.deepEqual([guardrails.totalFixed, guardrails.totalOpened], [fixed, slowOpened(counted)])
  const funnel = await ask(gatehouse, 'funnel', { filters }, as)
  requireNested(funnel)
  assert.deepEqual(funnel, slowFunnel(counted))
}

type Numbers = Record<(typeof stages)[number], number>

/** Each stage is a part of the one before, and products sum up to the whole. */
export function requireNested({ byProduct, ...whole }: Numbers & { byProduct: Record<string, Numbers> }): void {
  for (const stage of stages) {
    const sum = Object.values(byProduct).reduce((so, numbers) => so + numbers[stage], 0)
    assert.equal(whole[stage], sum, stage)
  }
  for (const numbers of [whole, ...Object.values(byProduct)]) {
    const inOrder = stages.map((stage) => numbers[stage])
    assert.deepEqual(
      inOrder,
      inOrder.toSorted((a, b) => b - a),
    )
  }
}

/** `now`: when it is asked, where its clock does not run. */
export async function backlogHolds(
  gatehouse: TestGatehouse,
  seen: Raised[],
  filters: ReportFilters,
  now?: Date,
): Promise<void> {
  const { medianOpenAgeSeconds: earliest, ...expected } = slowBacklog(matching(seen, filters), now ?? new Date())
  const { medianOpenAgeSeconds: age, ...backlog } = await ask(gatehouse, 'backlog', { filters })
  const { medianOpenAgeSeconds: latest } = slowBacklog(matching(seen, filters), now ?? new Date())
  assert.deepEqual(backlog, expected)
  assert.ok(earliest <= age && age <= latest, `${earliest} ${age} ${latest}`)
}

const always = { timePeriod: { since: '1970-01-01T00:00:00Z', until: '9999-01-01T00:00:00Z' } }

/** Counts what happened in the period, whenever its finding was raised. */
export async function activityHolds(
  gatehouse: TestGatehouse,
  seen: Raised[],
  history: Changed[],
  filters: ReportFilters,
): Promise<void> {
  const chosen = matching(seen, { ...filters, ...always })
  const { buckets } = await ask(gatehouse, 'activity', { filters })
  for (const { timePeriod, ...numbers } of buckets) {
    const expected = slowActivity(chosen, history, timePeriod.since, timePeriod.until)
    assert.deepEqual(numbers, expected, JSON.stringify(timePeriod))
  }
}
