import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse()
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

const own = () => gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
const ofOther = () => gatehouse.db.as({ deploymentId: other.id })
// Differs with every statement that PostgreSQL runs.
const moment = sql`select clock_timestamp()::text || random() as at, id from deployment`

test('the same statement asked for at the same moment is sent once, and each gets rows of its own', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => own().query<{ at: string }>(moment)))
  assert.equal(new Set(answers.map(([row]) => row!.at)).size, 1)
  assert.equal(new Set(answers).size, 20)
})

test('what is asked for after a statement was sent is not answered by it', async () => {
  const seen = new Set<string>()
  for (let i = 0; i < 20; i++) {
    const first = own().query<{ at: string }>(moment)
    await new Promise((resolve) => setImmediate(resolve))
    const second = own().query<{ at: string }>(moment)
    for (const [row] of await Promise.all([first, second])) seen.add(row!.at)
  }
  assert.equal(seen.size, 40)
})

test('tenants and values are never mixed up, however many ask at once', async () => {
  const asks = Array.from({ length: 200 }, async (_, n) => {
    const db = n % 3 === 0 ? ofOther() : own()
    const [row] = await db.query<{ id: number; n: number }>(sql`select id, ${n % 7}::int as n from deployment`)
    assert.deepEqual(row, { id: db.deploymentId, n: n % 7 })
  })
  await Promise.all(asks)
})

test('a change that was answered is seen by every read after it', async () => {
  const path = `/api/deployments/v1/deployments/${gatehouse.owner.deploymentId}`
  for (let i = 0; i < 15; i++) {
    const noise = Array.from({ length: 10 }, () => gatehouse.call('GET', path))
    await gatehouse.call('PATCH', path, { body: { name: `Name ${i}` } })
    const answer = await gatehouse.call('GET', path)
    assert.equal(answer.body.deployment.name, `Name ${i}`)
    await Promise.all(noise)
  }
})

test('what travels behind a change of tenant that fails is not answered for the tenant before', async () => {
  await own().query(sql`select id from deployment`)
  // PostgreSQL refuses this setting, so the connection is still the former tenant's when the query arrives.
  const impossible = gatehouse.db.as({ deploymentId: '1\0' as unknown as number })
  await assert.rejects(impossible.query(sql`select id from deployment`))
  const [row] = await own().query<{ id: number }>(sql`select id from deployment`)
  assert.equal(row!.id, gatehouse.owner.deploymentId)
})
