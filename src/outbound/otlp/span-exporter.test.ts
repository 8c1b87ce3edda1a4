import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { startCollector } from '../../../test/outside/otlp-collector.ts'
import { attributesOf } from '../../../test/outside/otlp-json.ts'
import type { Span } from '../../kernel/tracing/tracing.ts'
import { say, startServer } from '../test-server.ts'
import { parseCollectorHeaders } from './collector.ts'
import { createSpanExporter } from './span-exporter.ts'

const span: Span = {
  name: 'GET /x',
  kind: 'server',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: undefined,
  startMs: 1_700_000_000_000.125,
  endMs: 1_700_000_000_001.5,
  attributes: { 'http.route': '/x', 'http.response.status_code': 503 },
  failed: true,
}
const hour = 3_600_000

function exporterFor(endpoint: string, { headers = {}, lines = [] as string[] } = {}) {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  return createSpanExporter({
    collector: { endpoint, headers },
    resource: { 'service.name': 'x' },
    log,
    everyMs: hour,
  })
}

test('a span arrives as OTLP writes it, with the headers for the collector', async (t) => {
  const collector = await startCollector(t)
  const exporter = exporterFor(collector.url, { headers: { 'x-api-key': 'for the collector' } })
  exporter.record(span)
  await exporter.close()
  const [request] = collector.requests
  assert.equal(request!.headers['x-api-key'], 'for the collector')
  assert.equal(request!.headers.traceparent, undefined)
  const [arrived] = request!.spans
  assert.deepEqual(
    [arrived!.kind, arrived!.startTimeUnixNano, arrived!.endTimeUnixNano, arrived!.status],
    [2, '1700000000000125000', '1700000000001500000', { code: 2 }],
  )
  assert.deepEqual(attributesOf(arrived!), { 'http.route': '/x', 'http.response.status_code': '503' })
})

test('while the collector is away spans are kept up to a bound, the log says so once, and nobody waits', async (t) => {
  const collector = await startCollector(t)
  const lines: string[] = []
  const exporter = exporterFor(collector.url, { lines })
  collector.answer(503)
  for (let n = 0; n < 5_000; n++) exporter.record({ ...span, spanId: (n + 1).toString(16).padStart(16, '0') })
  assert.equal(exporter.dropped(), 5_000 - 4_096)
  assert.equal(await exporter.flush(), false)
  assert.equal(await exporter.flush(), false)
  assert.equal(lines.filter((line) => line.includes('cannot be handed')).length, 1)
  collector.answer(200)
  await exporter.close()
  assert.equal(collector.spans().length, 4_096)
  assert.equal(new Set(collector.spans().map(({ spanId }) => spanId)).size, 4_096)
})

test('what the collector refuses for good is not sent again', async (t) => {
  const collector = await startCollector(t)
  const exporter = exporterFor(collector.url)
  exporter.record(span)
  collector.answer(400)
  assert.equal(await exporter.flush(), false)
  collector.answer(200)
  await exporter.close()
  assert.deepEqual([collector.spans().length, exporter.dropped()], [0, 1])
})

test('a collector cannot send spans on to another server', async (t) => {
  const elsewhere = await startCollector(t)
  const redirecting = await startServer(t, say('', 307, { location: `${elsewhere.url}/v1/traces` }))
  const exporter = exporterFor(`http://127.0.0.1:${redirecting.port}`)
  exporter.record(span)
  await exporter.close()
  assert.equal(redirecting.seen.length, 1)
  assert.equal(elsewhere.requests.length, 0)
})

test('the headers for the collector are read as OpenTelemetry writes them', () => {
  assert.deepEqual(parseCollectorHeaders('a=b%20c, Authorization=Bearer%20x=='), {
    a: 'b c',
    authorization: 'Bearer x==',
  })
  assert.deepEqual(parseCollectorHeaders(''), {})
  for (const text of ['a', '=b', 'a=%', 'host=x', 'a=%0d%0ab', 'a=1,A=2'])
    assert.equal(parseCollectorHeaders(text), undefined, text)
})
