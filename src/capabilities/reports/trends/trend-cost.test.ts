import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { sendLog } from '../../findings/test-findings.ts'
import { countByDays } from '../activity-store.ts'
import { countEver, countFixesByDays, countGroupsByDays, countStandingByDays } from './day-store.ts'

const gatehouse = await openGatehouse({ jobs: false })
after(() => gatehouse.close())
const findings = Array.from({ length: 3_000 }, (_, n) => ({ code: `c${n}`, path: `src/f${n}.js` }))
await sendLog(gatehouse, 'shop/large', findings)
await sendLog(gatehouse, 'shop/large', findings.slice(1_000))

const dayMs = 86_400_000
const tomorrow = new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs)
const buckets = [{ since: new Date(tomorrow.getTime() - 90 * dayMs), until: tomorrow }]

test('whole days are counted without reading a finding, on tables that nobody has analysed', async () => {
  const counting = countRows(gatehouse.db.as({ deploymentId: 1 }))
  assert.equal(await countEver(counting, undefined), 3_000)
  assert.deepEqual(await countStandingByDays(counting, undefined, [buckets[0]!.since, tomorrow]), [0, 2_000])
  assert.equal((await countFixesByDays(counting, undefined, buckets))![0]!.fixed, 1_000)
  const groups = await countGroupsByDays(counting, undefined, { by: 'repository', at: tomorrow, buckets })
  assert.deepEqual(
    groups!.map(({ open, fixed }) => [open, fixed]),
    [[2_000, 1_000]],
  )
  const all = { repositories: undefined, rules: undefined, categories: undefined }
  const [activity] = (await countByDays(counting, all, buckets, true))!
  assert.deepEqual([activity!.opened, activity!.fixed], [3_000, 1_000])
  assert.equal(counting.rowsOf('finding'), 0)
})
