import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { systemActor } from '../src/kernel/access/actor.ts'
import { schemaLevel } from '../src/kernel/database/migrations/migration-files.ts'
import { inTrace } from '../src/kernel/tracing/tracing.ts'
import { startLocalServer } from '../src/sandbox/local-server.ts'
import { openGatehouse } from './gatehouse.ts'
import { startCollector } from './outside/otlp-collector.ts'
import { attributesOf } from './outside/otlp-json.ts'
import { automationsOf, signingKey } from './servers/automation-gatehouse.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`

async function open(t: Parameters<typeof startCollector>[0], env: Record<string, string> = {}) {
  const collector = await startCollector(t)
  const lines: string[] = []
  const gatehouse = await openGatehouse({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env },
    log: (line) => lines.push(line),
  })
  t.after(() => gatehouse.close())
  return { collector, gatehouse, lines }
}

test('a request continues the trace that its caller brings: answer, statements and transaction are spans of it', async (t) => {
  const { collector, gatehouse, lines } = await open(t)
  const { deploymentId } = gatehouse.owner
  const secret = 'canary-of-the-query'
  const path = `/api/permissions/v2/deployments/${deploymentId}/teams`
  const made = await gatehouse.call('POST', path, { headers: { traceparent }, body: { team: { name: 'Traced' } } })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await gatehouse.call('GET', `${path}?unknown=${secret}`, { headers: { traceparent } })
  const ours = () => collector.spans().filter((span) => span.traceId === traceId)
  await collector.until(() => ours().filter(({ kind }) => kind === 2).length === 2)

  const [post, get] = ours().filter(({ kind }) => kind === 2)
  assert.deepEqual(
    [post!.parentSpanId, post!.name],
    [spanId, `POST /api/permissions/v2/deployments/:deploymentId/teams`],
  )
  const attributes = attributesOf(post!)
  assert.deepEqual(
    [attributes['http.response.status_code'], attributes['gatehouse.deployment']],
    ['200', String(deploymentId)],
  )
  assert.equal(attributesOf(get!)['error.type'], 'validation_failed')
  const transaction = ours().find(({ name }) => name === 'postgresql transaction')
  assert.equal(transaction?.parentSpanId, post!.spanId)
  const inserting = ours().find((span) => attributesOf(span)['db.query.text']?.startsWith('insert into team'))
  assert.equal(inserting?.parentSpanId, transaction.spanId)
  const sent = collector.requests.map(({ text }) => text).join('')
  for (const hidden of [secret, gatehouse.owner.token, 'Traced']) assert.ok(!sent.includes(hidden), hidden)
  assert.ok(lines.some((line) => JSON.parse(line).traceId === traceId))
})

test('PostgreSQL knows the trace while it works for it, and nothing of it afterwards', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  const actor = systemActor(gatehouse.owner.deploymentId, 'test')
  const look = sql`select current_setting('application_name') as name`
  const named = `gatehouse ${schemaLevel} ${traceId}-${spanId}`
  const trace = { traceId, spanId, sampled: true }
  const read = async () => (await gatehouse.db.as(actor).query<{ name: string }>(look))[0]!.name
  const written = () => gatehouse.db.transaction(actor, async (tx) => (await tx.query<{ name: string }>(look))[0]!.name)
  const worker = () => gatehouse.db.worker(async (tx) => (await tx.query<{ name: string }>(look))[0]!.name)
  const alone = async () => (await gatehouse.db.identityQuery<{ name: string }>(look))[0]!.name
  for (const ask of [read, written, worker, alone]) {
    assert.equal(await inTrace(trace, ask), named)
    assert.equal(await ask(), `gatehouse ${schemaLevel}`)
  }
  assert.ok(Buffer.byteLength(named) <= 63)
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  const slow = assert.rejects(inTrace(trace, () => gatehouse.db.as(actor).query(sql`select pg_sleep(60)`)))
  const found = sql`select pg_cancel_backend(pid) from pg_stat_activity where application_name = ${named} and state = 'active'`
  while ((await admin.query(found)).rowCount === 0) {}
  await slow
  await admin.end()
})

test('work that follows from a request, and what it sends outwards, belongs to the trace', async (t) => {
  const receiver = await startLocalServer(() => ({}))
  t.after(() => receiver.close())
  const { collector, gatehouse } = await open(t, { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' })
  const webhook = {
    type: 'ACTION_TYPE_WEBHOOK',
    config: { url: `${receiver.url}/hook?key=canary`, secret: signingKey },
  }
  await automationsOf(gatehouse).create({ actions: [webhook] })
  const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans/raw?repository=a/b&ref=main&path=log.sarif`
  const headers = { traceparent, tracestate: 'vendor=canary', 'content-type': 'application/octet-stream' }
  const sent = await gatehouse.call('POST', path, { body: sarifLog({ results: [{ code: 'a' }] }), headers })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const named = (name: string) => collector.spans().find((span) => span.traceId === traceId && span.name === name)
  await collector.until(() => named('job automation.action') !== undefined)

  const job = named('job automation.action')!
  const call = collector.spans().find((span) => span.name === 'POST' && span.traceId === traceId)!
  const transactions = collector.spans().filter(({ name }) => name === 'postgresql transaction')
  assert.ok(transactions.some((span) => span.spanId === job.parentSpanId))
  assert.deepEqual([job.kind, call.kind], [5, 3])
  const [seen] = receiver.seen
  assert.equal(seen!.headers.traceparent, `00-${traceId}-${call.spanId}-01`)
  assert.equal(seen!.headers.tracestate, undefined)
  assert.deepEqual(attributesOf(call)['server.address'], '127.0.0.1')
  assert.ok(!collector.requests.some(({ text }) => text.includes('canary')))
})

test('without a collector a trace is handed on as it came, and a request without one has none', async (t) => {
  const lines: string[] = []
  const gatehouse = await openGatehouse({ log: (line) => lines.push(line) })
  t.after(() => gatehouse.close())
  await gatehouse.call('GET', '/api/health-check', { as: '' })
  assert.ok(lines.every((line) => !line.includes('traceId')))
  await gatehouse.call('GET', '/api/health-check', { as: '', headers: { traceparent } })
  const line = lines.map((each) => JSON.parse(each)).find((each) => each.traceId)
  assert.equal(line.traceId, traceId)
})

test('of traces that begin here a part is recorded; probes begin none', async (t) => {
  const { collector, gatehouse } = await open(t, { OTEL_TRACES_SAMPLER_ARG: '0' })
  await gatehouse.call('GET', '/api/auth/me')
  await gatehouse.call('GET', '/api/health-check', { as: '', headers: { traceparent } })
  await collector.until(() => collector.spans().length > 0)
  assert.deepEqual([...new Set(collector.spans().map((span) => span.traceId))], [traceId])
})
