import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePlan, type SearchPlan } from './choose-plan.ts'

// Who asks; wanted cells and issues, all cells and issues; the way.
const table: [string, number, number, number, number, SearchPlan][] = [
  ['who sees nothing', 0, 0, 60, 1_000_000, 'gather'],
  ['who sees one repository of 2,000', 30, 500, 60, 1_000_000, 'gather'],
  ['who sees ten', 300, 5_000, 60, 1_000_000, 'gather'],
  ['who sees half', 30_000, 500_000, 60, 1_000_000, 'walk'],
  ['who sees all 2,000', 60_000, 1_000_000, 60, 1_000_000, 'walk'],
  ['who sees one large repository', 60, 900_000, 60, 1_000_000, 'gather'],
  ['who sees many repositories with few issues', 2_000, 2_000, 60, 1_000_000, 'gather'],
  ['who sees all of a few', 20, 30, 20, 30, 'gather'],
]

for (const [who, cells, issues, allCells, allIssues, way] of table) {
  test(`${who} is served by '${way}'`, () => {
    assert.equal(choosePlan({ cells, issues, allCells, allIssues }, 51), way)
  })
}
