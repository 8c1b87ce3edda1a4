import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { sendLog } from '../test-findings.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
await sendLog(gatehouse, 'export/one', [
  { code: 'a', rule: 'kept' },
  { code: 'b', rule: 'other' },
])

const prepare = async (body: object, as = gatehouse.owner.jwt) =>
  gatehouse.call('POST', `/api/findings/1/exports`, { as, body })
const body = { format: 'csv', filter: { ruleIds: ['kept'] } }

test('an export is fetched by GET, once', async () => {
  const prepared = await prepare(body)
  assert.equal(prepared.status, 200, JSON.stringify(prepared.body))
  const fetched = await gatehouse.call('GET', prepared.body.path, { as: gatehouse.owner.jwt })
  assert.equal(fetched.status, 200)
  assert.match(fetched.headers.get('content-disposition') ?? '', /^attachment; filename="?findings\.csv/)
  const lines = String(fetched.body).trim().split('\n')
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /kept/)
  assert.equal((await gatehouse.call('GET', prepared.body.path, { as: gatehouse.owner.jwt })).status, 404)
})

test('a look at the head of an export is refused, uses nothing up and leaves no record', async () => {
  const as = gatehouse.owner.jwt
  const { path: once } = (await prepare(body)).body
  const exports = async () => {
    const path = '/api/audit/v1/deployments/1/events?action=findings.export'
    return (await gatehouse.call('GET', path, { as })).body.events.length
  }
  const before = await exports()
  const headers = { authorization: `Bearer ${as}` }
  const looked = await fetch(gatehouse.url + once, { method: 'HEAD', headers })
  assert.deepEqual([looked.status, looked.headers.get('allow')], [405, 'GET'])
  assert.equal(await exports(), before)
  assert.equal((await gatehouse.call('GET', once, { as })).status, 200)
})

test('who prepares it again with the same key is answered the same, and it is fetched once', async () => {
  const again = () => {
    const headers = { 'idempotency-key': 'the-same-export' }
    return gatehouse.call('POST', '/api/findings/1/exports', { as: gatehouse.owner.jwt, body, headers })
  }
  const answers = [await again(), await again()]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(answers[1]!.body, answers[0]!.body)
  const fetched = () => gatehouse.call('GET', answers[1]!.body.path, { as: gatehouse.owner.jwt })
  assert.deepEqual([(await fetched()).status, (await fetched()).status], [200, 404])
})

test('of two who fetch at once, one gets it', async () => {
  const { path: once } = (await prepare(body)).body
  const answers = await Promise.all([1, 2, 3].map(() => gatehouse.call('GET', once, { as: gatehouse.owner.jwt })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
})

test('the address alone opens nothing, for nobody, and not for another person', async () => {
  const { path: own } = (await prepare(body)).body
  assert.equal((await gatehouse.call('GET', own, { as: '' })).status, 401)
  const admin = await gatehouse.addPerson('admin')
  assert.equal((await gatehouse.call('GET', own, { as: admin.jwt })).status, 404)
  assert.equal((await gatehouse.call('GET', own, { as: gatehouse.owner.jwt })).status, 200)
})

test('it is over after a minute, and goes with the membership', async () => {
  const { path: own, expiresAt } = (await prepare(body)).body
  const left = Date.parse(expiresAt) - Date.now()
  assert.ok(left <= 61_000, `${left} ms are left`)
  const change = sql`update export_ticket set expires_at = now() - interval '1 second' where deployment_id = 1`
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) => tx.query(change))
  assert.equal((await gatehouse.call('GET', own, { as: gatehouse.owner.jwt })).status, 404)
  await prepare(body)
  const count = sql`select count(*) from export_ticket where deployment_id = 1`
  const [row] = await gatehouse.db.as(systemActor(1, 'test')).query<{ count: number }>(count)
  assert.equal(row!.count, 1)
})

test('what is wrong with the question is said before anything is fetched', async () => {
  const period = { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }
  assert.equal((await prepare({ filter: { raisedAt: period } })).status, 400)
  assert.equal((await prepare({ format: 'exe' })).status, 400)
})
