import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const log = (...rules: string[]) => ({ 'a.sarif': sarifLog({ results: rules.map((rule) => ({ rule })) }) })

async function lives(): Promise<object[]> {
  const { deploymentId } = gatehouse.owner
  return gatehouse.db.as({ deploymentId }).query(sql`select r.external_id as rule, f.raised_at as "raisedAt",
      f.fixed_at as "fixedAt" from finding f
    join finding_rule r on r.deployment_id = f.deployment_id and r.id = f.rule_id
    where f.deployment_id = ${deploymentId} order by rule`)
}

test('scans of the past raise and fix findings on their day', async () => {
  const first = await upload(gatehouse, { repository: 'old', performedAt: '2025-03-01T10:00:00+02:00' }, log('a', 'b'))
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal(first.body.scan.performedAt, '2025-03-01T08:00:00.000Z')
  const second = await upload(gatehouse, { repository: 'old', performedAt: '2025-04-01T08:00:00Z' }, log('b', 'c'))
  assert.equal(second.status, 200, JSON.stringify(second.body))
  const [march, april] = [new Date('2025-03-01T08:00:00Z'), new Date('2025-04-01T08:00:00Z')]
  assert.deepEqual(await lives(), [
    { rule: 'a', raisedAt: march, fixedAt: april },
    { rule: 'b', raisedAt: march, fixedAt: null },
    { rule: 'c', raisedAt: april, fixedAt: null },
  ])
})

test('one that is older than the last of its ref is refused and changes nothing', async () => {
  const before = await lives()
  const late = await upload(gatehouse, { repository: 'old', performedAt: '2025-03-15T08:00:00Z' }, log('d'))
  assert.equal(late.status, 422)
  assert.deepEqual(await lives(), before)
  const other = { repository: 'old', ref: 'other', performedAt: '2025-03-15T08:00:00Z' }
  assert.equal((await upload(gatehouse, other, log('d'))).status, 200)
})

test('the future, and what is not a time, are refused', async () => {
  for (const performedAt of [new Date(Date.now() + 3_600_000).toISOString(), 'yesterday']) {
    const answer = await upload(gatehouse, { repository: 'old', performedAt }, log('e'))
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/performedAt'], performedAt)
  }
})

test('members bring in nothing of the past', async () => {
  const { token } = await gatehouse.addPerson('member')
  const scan = { repository: 'new', performedAt: '2025-03-15T08:00:00Z' }
  assert.equal((await upload(gatehouse, scan, log('f'), { as: token })).status, 403)
})
