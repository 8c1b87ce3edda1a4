import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../access/actor.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(() => gatehouse.close())

async function makeWithKey(as: string, deploymentId: number, key: string): Promise<void> {
  const path = `/api/tokens/v1/deployments/${deploymentId}/tokens`
  const { status } = await gatehouse.call('POST', path, {
    as,
    body: { name: key, scopes: ['packages:read'] },
    headers: { 'idempotency-key': key },
  })
  assert.equal(status, 200)
}

const keysOf = async (deploymentId: number) =>
  (
    await gatehouse.db
      .as({ deploymentId })
      .query<{ key: string }>(sql`select key from idempotency_key where deployment_id = ${deploymentId} order by key`)
  ).map(({ key }) => key)

const age = (deploymentId: number) =>
  gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
    tx.query(sql`update idempotency_key set created_at = now() - interval '25 hours'
      where deployment_id = ${deploymentId} and key = 'old'`),
  )

test('what is kept for repetitions goes after a day, in deployments too where no other key comes', async (t) => {
  const { deploymentId, token } = gatehouse.owner
  const elsewhere = await gatehouse.addDeployment()
  for (const [as, id] of [
    [token, deploymentId],
    [elsewhere.as, elsewhere.id],
  ] as const) {
    for (const key of ['new', 'old']) await makeWithKey(as, id, key)
    await age(id)
  }
  assert.deepEqual(await keysOf(elsewhere.id), ['new', 'old'])
  const other = await gatehouse.anotherProcess()
  t.after(() => other.close())
  const deadline = performance.now() + 10_000
  while ((await keysOf(elsewhere.id)).length > 1 && performance.now() < deadline);
  assert.deepEqual([await keysOf(deploymentId), await keysOf(elsewhere.id)], [['new'], ['new']])
})
