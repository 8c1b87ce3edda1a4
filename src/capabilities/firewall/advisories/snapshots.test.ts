import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { systemClock } from '../../../kernel/time/clock.ts'
import { inventorySnapshots } from './snapshots.ts'

const gatehouse = await openGatehouse({ jobs: false })
after(() => gatehouse.close())

test('a deployment whose inventories cannot be remembered keeps no other from its turn', async () => {
  await gatehouse.addDeployment()
  const seen: number[] = []
  const transaction: Database['transaction'] = (actor, work) => {
    seen.push(actor.deploymentId)
    if (seen.length === 1) return Promise.reject(new Error('canceling statement due to statement timeout'))
    return gatehouse.db.transaction(actor, work)
  }
  const { run } = inventorySnapshots({ db: { ...gatehouse.db, transaction }, clock: systemClock })
  await assert.rejects(run(), /statement timeout/)
  assert.ok(seen.length > 1)
})
