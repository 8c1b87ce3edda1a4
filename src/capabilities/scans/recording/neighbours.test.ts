import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(() => gatehouse.close())

const log = (rule: string) => ({ 'a.sarif': sarifLog({ results: [{ rule }] }) })

test('uploads that wait for one repository leave the connections to others', { timeout: 120_000 }, async () => {
  const { deploymentId } = gatehouse.owner
  await upload(gatehouse, { repository: 'busy' }, log('a'))
  const gate = new EventTarget()
  const release = once(gate, 'release')
  const actor = systemActor(deploymentId, 'test')
  const locked = new Promise<void>((resolve, reject) => {
    const holding = gatehouse.db.transaction(actor, async (tx) => {
      await tx.query(sql`select from repository where deployment_id = ${deploymentId} and name = 'busy' for update`)
      resolve()
      await release
    })
    holding.catch(reject)
  })
  await locked
  const uploads = Array.from({ length: 24 }, (_, at) =>
    upload(gatehouse, { repository: 'busy', commit: `10000${at + 10}` }, log(`rule-${at}`)),
  )
  // As soon as one of them is at the lock, the others wait behind it.
  for (;;) {
    const [row] = await gatehouse.db.as(actor).query<{ count: number }>(sql`select count(*) as count from pg_locks
      where not granted`)
    if (row!.count > 0) break
  }
  const path = `/api/repositories/v1/deployments/${deploymentId}/repositories`
  const others = Array.from({ length: 4 }, (_, at) => gatehouse.call('POST', path, { body: { name: `other-${at}` } }))
  for (const answer of await Promise.all(others)) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.ok(gatehouse.db.load().writers <= 8, `${gatehouse.db.load().writers} connections`)
  gate.dispatchEvent(new Event('release'))
  for (const answer of await Promise.all(uploads)) assert.equal(answer.status, 200, JSON.stringify(answer.body))
})
