import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const events = (query = '') =>
  gatehouse.call('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events${query}`)
const repositories = () => `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
const newest = async () => (await events('?pageSize=1')).body.events[0]

test('a change is in the log with who, what and the request', async () => {
  await gatehouse.call('POST', repositories(), {
    body: { name: 'shop/checkout' },
    headers: { 'x-request-id': 'request-0001' },
  })
  const event = await newest()
  assert.deepEqual([event.action, event.requestId], ['repository.create', 'request-0001'])
  assert.ok(event.tokenId > 0 && event.personId > 0)
})

test('a refused change leaves nothing in the log', async () => {
  const before = (await events()).body.cursor
  assert.equal((await gatehouse.call('POST', repositories(), { body: { name: 'shop/checkout' } })).status, 409)
  assert.equal((await events()).body.cursor, before)
})

test('paging goes through the log once, newest first', async () => {
  for (let i = 0; i < 5; i++) await gatehouse.call('POST', repositories(), { body: { name: `paged/${i}` } })
  const seen: number[] = []
  for (let cursor = 0, more = true; more; ) {
    const { body } = await events(`?pageSize=3&cursor=${cursor}`)
    seen.push(...body.events.map((event: { seq: number }) => event.seq))
    cursor = body.cursor
    more = body.hasMore
  }
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, index) => seen.length - index),
  )
})

test('the log is for owners', async () => {
  const admin = await gatehouse.addPerson('admin')
  for (const what of ['events', 'head']) {
    const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/${what}`
    assert.equal((await gatehouse.call('GET', path, { as: admin.token })).status, 403)
  }
})

test('the head is the newest event', async () => {
  const { head } = (await gatehouse.call('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/head`)).body
  const { seq, hash, at } = await newest()
  assert.deepEqual(head, { deploymentId: gatehouse.owner.deploymentId, seq, hash, at })
})

test('who takes data along in bulk is in the log', async () => {
  const id = gatehouse.owner.deploymentId
  const made = await gatehouse.call('POST', repositories(), { body: { name: 'exported' } })
  const repository = made.body.repository.id
  await gatehouse.call('GET', `/api/sca/deployments/${id}/repositories/${repository}/sbom?format=spdx`)
  const sbom = await newest()
  assert.deepEqual(
    [sbom.action, sbom.target, sbom.detail],
    ['sbom.export', `repository:${repository}`, { format: 'spdx' }],
  )
  const path = `/api/findings/${id}/findings/export`
  await gatehouse.call('POST', path, { body: { format: 'csv', filter: { severities: ['SEVERITY_HIGH'] } } })
  const findings = await newest()
  assert.deepEqual(findings.detail, { format: 'csv', filter: { severities: ['SEVERITY_HIGH'] } })
  assert.equal(findings.action, 'findings.export')
  // What is refused was not taken along.
  assert.equal((await gatehouse.call('POST', path, { body: { format: 'no' } })).status, 400)
  assert.equal((await newest()).seq, findings.seq)
})

test("nobody writes to another deployment's log, not even with the rights of the tables' owner", async () => {
  const other = await gatehouse.addDeployment()
  const own = systemActor(gatehouse.owner.deploymentId, 'test')
  const attempts = [
    sql`select from audit_head_for_append(${other.id}::bigint, '{}'::text[])`,
    sql`select audit_append(${other.id}::bigint, 0::bigint, 0::bigint, 1::bigint, 0::bigint, 'x',
      '[{"action": "x", "target": "x", "detail": "{}", "hash": "00"}]'::jsonb, 1::bigint, 1, '\\x00'::bytea)`,
  ]
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  await client.query("select set_config('gatehouse.deployment', $1, false)", [String(own.deploymentId)])
  for (const attempt of attempts) {
    const refusal = /audit log of another deployment/
    await assert.rejects(
      gatehouse.db.transaction(own, (tx) => tx.query(attempt)),
      refusal,
    )
    await assert.rejects(client.query(attempt), refusal)
    await assert.rejects(gatehouse.db.identityQuery(attempt), refusal)
  }
  await client.end()
})
