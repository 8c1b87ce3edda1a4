import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { startLocalServer } from '../src/sandbox/local-server.ts'
import { program, without } from './deploy/programs.ts'
import { openGatehouse } from './gatehouse.ts'
import { unusedPort } from './outside/unused-port.ts'
import { automationsOf, signingKey } from './servers/automation-gatehouse.ts'
import { poll } from './servers/real-process.ts'

const skip = without('otelcol', 'a release of github.com/open-telemetry/opentelemetry-collector-releases')
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerId = '00f067aa0ba902b7'
const teams = '/api/permissions/v2/deployments/1/teams'
const serverKind = 2
const clientKind = 3
const consumerKind = 5

/** As the collector writes it (opentelemetry/proto/trace/v1/trace.proto, in JSON). */
type Passed = { traceId: string; spanId: string; parentSpanId: string; name: string; kind: number }
type Resources = { resourceSpans: { resource: { attributes: unknown }; scopeSpans: { spans: Passed[] }[] }[] }

/** The real one, which takes spans by OTLP over HTTP and passes on what it understood. */
async function startOpenTelemetryCollector(t: TestContext) {
  const next = await startLocalServer(() => ({ headers: { 'content-type': 'application/json' }, body: {} }))
  const port = await unusedPort()
  const file = join(temporaryFolder(), 'collector.yaml')
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { otlphttp: { traces_endpoint: `${next.url}/v1/traces`, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlphttp'] } },
    },
  }
  writeFileSync(file, JSON.stringify(config))
  let child: ChildProcess
  const url = `http://127.0.0.1:${port}`
  async function start(): Promise<void> {
    child = spawn(program('otelcol')!, ['--config', file], { stdio: 'ignore' })
    await poll('the collector listens', () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    )
  }
  async function kill(): Promise<void> {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  t.after(async () => {
    child.kill('SIGKILL')
    await next.close()
  })
  await start()
  const passed = () => next.seen.map(({ body }) => body)
  const spans = () =>
    passed()
      .flatMap((body) => (JSON.parse(body) as Resources).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return { url, start, kill, passed, spans, signal: (name: NodeJS.Signals) => child.kill(name) }
}

test('the OpenTelemetry collector takes the trace of an upload, from its caller to statements and calls outwards', {
  skip,
}, async (t) => {
  const collector = await startOpenTelemetryCollector(t)
  const receiver = await startLocalServer(() => ({}))
  const gatehouse = await openGatehouse({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' },
  })
  t.after(async () => {
    await gatehouse.close()
    await receiver.close()
  })
  const webhook = {
    type: 'ACTION_TYPE_WEBHOOK',
    config: { url: `${receiver.url}/hook?key=canary`, secret: signingKey },
  }
  await automationsOf(gatehouse).create({ actions: [webhook] })
  const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans/raw?repository=canary/b&ref=main&path=log.sarif`
  const headers = { traceparent: `00-${traceId}-${callerId}-01`, 'content-type': 'application/octet-stream' }
  const body = sarifLog({ results: [{ code: 'a', path: 'src/canary.js' }] })
  assert.equal((await gatehouse.call('POST', path, { body, headers })).status, 200)
  const ours = () => collector.spans().filter((span) => span.traceId === traceId)
  await poll('the webhook was passed on', () => ours().some(({ name }) => name === 'job automation.action'))

  const upload = ours().find(({ kind }) => kind === serverKind)!
  assert.equal(upload.parentSpanId, callerId)
  const ids = new Set([callerId, ...ours().map(({ spanId }) => spanId)])
  const withoutParent = ours().filter(({ parentSpanId }) => !ids.has(parentSpanId))
  assert.deepEqual(withoutParent, [])
  const job = ours().find(({ kind }) => kind === consumerKind)!
  const call = ours().find(({ name, kind }) => name === 'POST' && kind === clientKind)!
  assert.equal(call.parentSpanId, job.spanId)
  assert.equal(receiver.seen[0]!.headers.traceparent, `00-${traceId}-${call.spanId}-01`)
  assert.ok(ours().some(({ name, kind }) => name === 'postgresql transaction' && kind === clientKind))
  const all = collector.passed().join('')
  assert.match(all, /"key":"db\.query\.text","value":\{"stringValue":"\s*insert into scan\b/)
  assert.match(all, /\{"key":"service\.name","value":\{"stringValue":"gatehouse"\}\}/)
  for (const hidden of ['canary', gatehouse.owner.token, gatehouse.owner.password, signingKey])
    assert.ok(!all.includes(hidden), hidden)
})

test('a collector that does not answer, or is gone, costs no request, is said once, and gets what waited', {
  skip,
}, async (t) => {
  const collector = await startOpenTelemetryCollector(t)
  const lines: string[] = []
  const gatehouse = await openGatehouse({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    log: (line) => lines.push(line),
  })
  t.after(() => gatehouse.close())
  const said = (text: string) => lines.filter((line) => line.includes(text)).length
  const ask = async (number: number) => {
    const traceparent = `00-${String(number).padStart(32, '0')}-${callerId}-01`
    assert.equal((await gatehouse.call('GET', teams, { headers: { traceparent } })).status, 200)
  }
  const passed = (number: number) =>
    collector.spans().some((span) => span.traceId === String(number).padStart(32, '0') && span.kind === serverKind)
  await ask(1)
  await poll('the first was passed on', () => passed(1))

  collector.signal('SIGSTOP')
  for (let number = 2; number < 20; number++) await ask(number)
  await poll('the log says so', () => said('spans cannot be handed to the OpenTelemetry collector') === 1)
  for (let number = 20; number < 40; number++) await ask(number)
  collector.signal('SIGCONT')
  await poll('all were passed on', () => Array.from({ length: 39 }, (_, at) => passed(at + 1)).every(Boolean))
  await poll('the log says that too', () => said('takes spans again') === 1)

  await collector.kill()
  await ask(40)
  await poll('the log says so again', () => said('spans cannot be handed to the OpenTelemetry collector') === 2)
  await ask(41)
  await collector.start()
  await poll('what waited was passed on', () => passed(40) && passed(41))
})
