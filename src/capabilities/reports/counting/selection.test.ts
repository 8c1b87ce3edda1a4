import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { buildWorld, type Raised, raisedFindings } from '../../../../test/reports/report-world.ts'
import type { Way } from './parts.ts'
import { selectFindings } from './selection.ts'

let gatehouse: TestGatehouse
let findings: Raised[]
before(async () => {
  gatehouse = await openGatehouse()
  await buildWorld(gatehouse)
  findings = await raisedFindings(gatehouse)
})
after(() => gatehouse.close())

const period = { since: new Date('2026-03-10T00:00:00Z'), until: new Date('2026-04-20T00:00:00Z') }
/** Too far from all others for a bit each. */
const farAway = 1_000_000_000

test('findings of some repositories or of all others are the same along every index', async () => {
  const [one, , other] = [...new Set(findings.map((each) => each.repository_id))].sort((a, b) => a - b) as number[]
  const ways: Way[] = ['time', 'repository']
  for (const ids of [[], [one!], [one!, other!], [other!, farAway], [farAway]]) {
    for (const among of [true, false]) {
      const expected = findings
        .filter(({ repository_id }) => ids.includes(repository_id) === among)
        .filter(({ raised_at }) => raised_at >= period.since && raised_at < period.until)
      for (const by of ways) {
        const selection = { repositories: { ids, among }, rules: undefined, categories: undefined, by }
        const statement = selectFindings(1, selection, [period], sql`f.id`)
        const rows = await gatehouse.db.as({ deploymentId: 1 }).query<{ id: number }>(statement)
        const asNumbers = (list: { id: number }[]) => list.map(({ id }) => id).sort((a, b) => a - b)
        assert.deepEqual(asNumbers(rows), asNumbers(expected), `${among ? '' : 'not '}${ids} by ${by}`)
      }
    }
  }
})
