import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { ask, askAll, reportsHold, requireNested } from '../../../test/reports/report-answers.ts'
import { stages } from '../../../test/reports/report-recount.ts'
import {
  buildWorld,
  type Raised,
  raisedFindings,
  repositories,
  rules,
  teams,
} from '../../../test/reports/report-world.ts'
import { timeBucketSizes } from '../../kernel/time/time-buckets.ts'
import { categoryNames } from './counting/cell.ts'
import type { ReportFilters } from './scope/filters.ts'

let gatehouse: TestGatehouse
let findings: Raised[]
before(async () => {
  gatehouse = await openGatehouse()
  await buildWorld(gatehouse)
  findings = await raisedFindings(gatehouse)
})
after(() => gatehouse.close())

const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values]), { nil: undefined, freq: 2 })
const moment = fc
  .date({ min: new Date('2026-02-20'), max: new Date('2026-05-25'), noInvalidDate: true })
  .map((date) => date.toISOString())

const anyFilters: fc.Arbitrary<ReportFilters> = fc
  .record({
    moments: fc.tuple(moment, moment).filter(([one, other]) => one !== other),
    timeBucketSize: fc.constantFrom(...timeBucketSizes),
    projects: some(repositories.map((one) => one.name)),
    tags: some(['pci', 'web']),
    teams: some(teams.map((one) => one.name)),
    ruleIds: some(rules),
    findingCategories: some(categoryNames),
  })
  .map(({ moments, projects, tags, teams: named, ruleIds, findingCategories, timeBucketSize }) => {
    const [since, until] = moments.sort() as [string, string]
    return {
      timePeriod: { since, until },
      timeBucketSize,
      ...(projects && { projects }),
      ...(tags && { tags }),
      ...(named && { teams: named }),
      ...(ruleIds && { ruleIds }),
      ...(findingCategories && { findingCategories }),
    }
  })

test('whatever is asked for, the reports are what a recount says', async () => {
  await fc.assert(
    fc.asyncProperty(anyFilters, (filters) => reportsHold(gatehouse, findings, filters)),
    { numRuns: often(50, 1_500) },
  )
})

test('each stage of the funnel is a part of the one before, and products sum up to the whole', async () => {
  await fc.assert(
    fc.asyncProperty(anyFilters, async (filters) => {
      const funnel = await ask(gatehouse, 'funnel', { filters })
      requireNested(funnel)
      let larger: number[] | undefined
      for (const stage of stages) {
        const ids = await askAll(gatehouse, 'funnel/findings', { filters, stage })
        assert.equal(ids.length, funnel[stage])
        if (larger) assert.ok(ids.every((id) => larger!.includes(id)))
        larger = ids
      }
    }),
    { numRuns: often(25, 500) },
  )
})

test('two periods that follow each other count as much as both together', async () => {
  await fc.assert(
    fc.asyncProperty(anyFilters, moment, async (filters, middle) => {
      const { since, until } = filters.timePeriod!
      fc.pre(since! < middle && middle < until!)
      const total = async (timePeriod: object) =>
        (await ask(gatehouse, 'funnel', { filters: { ...filters, timePeriod } })).allFindings
      const halves = (await total({ since, until: middle })) + (await total({ since: middle, until }))
      assert.equal(halves, await total({ since, until }))
    }),
    { numRuns: often(25, 600) },
  )
})
