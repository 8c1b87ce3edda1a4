import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { placeOf } from './store.ts'

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
  const dependencyFilter = { name: 'left' }
  const exporting = `/api/sca/deployments/${id}/dependencies/export`
  await gatehouse.call('POST', exporting, { body: { format: 'csv', dependencyFilter } })
  const dependencies = await newest()
  assert.deepEqual(
    [dependencies.action, dependencies.detail],
    ['dependencies.export', { format: 'csv', dependencyFilter }],
  )
  await gatehouse.call('POST', `/api/firewall/v1/deployments/${id}/events/export`, {
    body: { filter: { package: 'x' } },
  })
  const refusals = await newest()
  assert.deepEqual([refusals.action, refusals.detail], ['firewall-events.export', { filter: { package: 'x' } }])
  // What is refused was not taken along.
  assert.equal((await gatehouse.call('POST', path, { body: { format: 'no' } })).status, 400)
  assert.equal((await gatehouse.call('POST', exporting, { body: { format: 'sarif' } })).status, 400)
  assert.equal((await newest()).seq, refusals.seq)
})

for (const [action, path] of [
  ['audit.export', '/api/audit/v1/deployments/1/export'],
  ['findings.export', '/api/findings/1/findings/export'],
  ['dependencies.export', '/api/sca/deployments/1/dependencies/export'],
  ['firewall-events.export', '/api/firewall/v1/deployments/1/events/export'],
] as const) {
  test(`${action}: what is taken along again by a repetition is in the log again`, async () => {
    const take = async () => {
      const headers = { 'idempotency-key': action }
      assert.equal((await gatehouse.call('POST', path, { body: {}, headers })).status, 200)
      return newest()
    }
    const first = await take()
    const again = await take()
    assert.deepEqual([first.action, again.action], [action, action])
    assert.equal(again.seq, first.seq + 1)
  })
}

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
  await client.query("select set_config('gatehouse.tenant', $1, false)", [String(own.deploymentId)])
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

test('the log is filtered by time, action, person and target', async () => {
  const mark = await newest()
  const admin = await gatehouse.addPerson('admin')
  const made = await gatehouse.call('POST', repositories(), { as: admin.token, body: { name: 'filtered/one' } })
  const target = `repository:${made.body.repository.id}`
  const found = async (query: string) =>
    (await events(`?${query}`)).body.events.map(
      (event: { action: string; target: string }) => `${event.action} ${event.target}`,
    )
  assert.deepEqual(await found(`target=${target}`), [`repository.create ${target}`])
  assert.deepEqual(await found(`personId=${admin.id}&action=repository.`), [`repository.create ${target}`])
  assert.deepEqual(await found(`personId=${admin.id}&action=team`), [])
  const since = encodeURIComponent(new Date(Date.parse(mark.at) + 1).toISOString())
  const later = await found(`since=${since}`)
  assert.ok(later.includes(`repository.create ${target}`) && !later.includes(`${mark.action} ${mark.target}`))
  const earlier = await found(`until=${since}`)
  assert.ok(!earlier.includes(`repository.create ${target}`) && earlier.includes(`${mark.action} ${mark.target}`))
  assert.deepEqual(await found(`since=${since}&until=${since}`), [])
  assert.deepEqual(await found('action=%25'), [])
  assert.equal((await events('?since=yesterday')).status, 400)
  assert.equal((await events('?personId=-1')).status, 400)
})

test('a moment is found in the log by halving', async () => {
  const reader = gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
  const rows = await reader.query<{ seq: number; at: Date }>(sql`select seq, at from audit_event
    where deployment_id = ${gatehouse.owner.deploymentId} order by seq`)
  for (const { at } of rows) {
    const first = rows.find((row) => row.at >= at)!
    assert.equal(await placeOf(reader, at), first.seq)
  }
  assert.equal(await placeOf(reader, new Date('2000-01-01')), 1)
  assert.equal(await placeOf(reader, new Date('2100-01-01')), rows.length + 1)
})

test('all that match are exported as JSON lines, oldest first, and that is audited', async () => {
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/export`
  const filter = { action: 'repository.create' }
  const answer = await gatehouse.call('POST', path, { body: { filter } })
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
  const lines = String(answer.body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const listed = (await events('?action=repository.create&pageSize=1000')).body.events
  assert.deepEqual(lines, listed.toReversed())
  const last = await newest()
  assert.deepEqual([last.action, last.detail], ['audit.export', { filter }])
  const admin = await gatehouse.addPerson('admin')
  assert.equal((await gatehouse.call('POST', path, { as: admin.token, body: {} })).status, 403)
})

test('the chain is verified, with heads that were kept, and a change is found', async () => {
  const base = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}`
  const { head } = (await gatehouse.call('GET', `${base}/head`)).body
  const verify = (body: object) => gatehouse.call('POST', `${base}/verify`, { body })
  const { seq, hash } = head
  const whole = await verify({ heads: [{ seq, hash }] })
  assert.deepEqual([whole.status, whole.body], [200, { whole: true, events: seq, brokenAt: null }])
  const other = await verify({ heads: [{ seq, hash: 'ab'.repeat(32) }] })
  assert.deepEqual([other.body.whole, other.body.brokenAt.seq], [false, seq])
  const owner = new pg.Client(gatehouse.connection)
  await owner.connect()
  try {
    const change = (text: string) =>
      owner
        .query(`select set_config('gatehouse.tenant', '${gatehouse.owner.deploymentId}', false)`)
        .then(() =>
          owner.query('update audit_event set target = $1 where deployment_id = $2 and seq = 2', [
            text,
            gatehouse.owner.deploymentId,
          ]),
        )
    const [before] = await gatehouse.db
      .as({ deploymentId: gatehouse.owner.deploymentId })
      .query<{ target: string }>(sql`select target from audit_event where seq = 2`)
    await change('repository:999')
    assert.deepEqual((await verify({})).body.brokenAt, { seq: 2, reason: 'it was changed' })
    await change(before!.target)
    assert.equal((await verify({})).body.whole, true)
  } finally {
    await owner.end()
  }
  assert.equal((await verify({ heads: [{ seq: 0, hash: 'x' }] })).status, 400)
})
