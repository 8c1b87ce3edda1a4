import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import pg from 'pg'
import { pino } from 'pino'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { until } from '../../../jobs/test-queue.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { systemClock } from '../../../kernel/time/clock.ts'
import { createSyslog, parseSyslogServer } from '../../../outbound/syslog/syslog.ts'
import { certificateFor, withoutOpenssl } from '../../../outbound/test-certificate.ts'
import { startServer } from '../../../outbound/test-server.ts'
import { signedHeaders } from '../../automations/public.ts'
import { createAuditRetention } from '../retention.ts'

const signingKey = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const allow = { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' }

async function open(t: TestContext, env: Record<string, string> = allow): Promise<TestGatehouse> {
  const gatehouse = await openGatehouse({ env })
  t.after(() => gatehouse.close())
  return gatehouse
}

const webhookOf = ({ owner }: TestGatehouse) => `/api/audit/v1/deployments/${owner.deploymentId}/webhook`

async function point(gatehouse: TestGatehouse, url: string, more: object = {}) {
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const answer = await gatehouse.call('PUT', webhookOf(gatehouse), { as, body: { url, signingKey, ...more } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.webhook
}

const stateOf = async (gatehouse: TestGatehouse) => (await gatehouse.call('GET', webhookOf(gatehouse))).body.webhook

/** Pushes until the webhook has everything, whoever does it. */
async function drained(gatehouse: TestGatehouse): Promise<void> {
  await until(async () => {
    await gatehouse.pushAudit()
    return (await stateOf(gatehouse)).behind === 0
  })
}

function change(gatehouse: TestGatehouse, name: string) {
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  return gatehouse.call('POST', path, { body: { name } })
}

test('a webhook gets every event once and in order, signed, from the beginning where that is wanted', async (t) => {
  const gatehouse = await open(t)
  const receiver = await startServer(t, (_request, response) => response.end())
  await point(gatehouse, `http://127.0.0.1:${receiver.port}/in`, { from: 'beginning' })
  for (const name of ['a/1', 'a/2', 'a/3']) await change(gatehouse, name)
  await drained(gatehouse)
  const events = receiver.seen.flatMap(({ body }) => JSON.parse(body).data.events)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, at) => at + 1),
  )
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=1000`
  const listed = (await gatehouse.call('GET', path)).body.events.toReversed()
  assert.deepEqual(events, listed.slice(0, events.length))
  for (const { headers, body } of receiver.seen) {
    const id = String(headers['webhook-id'])
    const timestamp = Number(headers['webhook-timestamp'])
    const expected = signedHeaders(signingKey, { id, timestamp, body })
    assert.equal(headers['webhook-signature'], expected['webhook-signature'])
    // After a restore other events have the same places.
    assert.ok(id.endsWith(JSON.parse(body).data.events.at(-1).hash.slice(0, 16)), id)
  }
})

test('a receiver that begins when old events are gone gets all that is left', async (t) => {
  const gatehouse = await open(t)
  const actor = systemActor(gatehouse.owner.deploymentId, 'test')
  const owner = new pg.Client(gatehouse.connection as pg.ClientConfig)
  await owner.connect()
  // The database says when an event is: it is made to say something else for a while.
  const { rows } = await owner.query(`select pg_get_functiondef('audit_head_for_append'::regproc) as text`)
  await owner.query(rows[0].text.replace('clock_timestamp()', "clock_timestamp() - interval '100 days'"))
  for (let n = 0; n < 250; n++)
    await gatehouse.db.transaction(actor, async (tx) => tx.audit({ action: 'test.event', target: `event:${n}` }))
  await owner.query(rows[0].text)
  await owner.end()
  await change(gatehouse, 'left')
  const aged = { db: gatehouse.db, clock: systemClock, log: pino({ level: 'silent' }), days: 40, pushesSyslog: false }
  await createAuditRetention(aged).run()

  const receiver = await startServer(t, (_request, response) => response.end())
  const { behind } = await point(gatehouse, `http://127.0.0.1:${receiver.port}/in`, { from: 'beginning' })
  await drained(gatehouse)
  const pushed = receiver.seen.flatMap(({ body }) =>
    JSON.parse(body).data.events.map((one: { seq: number }) => one.seq),
  )
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=1000`
  const listed = (await gatehouse.call('GET', path)).body.events.map((one: { seq: number }) => one.seq).toReversed()
  assert.ok(listed[0] > 250 && pushed.length >= behind)
  assert.deepEqual(pushed, listed)
})

test('a receiver that fails loses nothing and holds nobody up: what it did not take comes again', async (t) => {
  const gatehouse = await open(t)
  let broken = true
  const taken: number[] = []
  const receiver = await startServer(t, (_request, response, { seen }) => {
    if (broken) return response.writeHead(503).end()
    taken.push(...JSON.parse(seen.at(-1)!.body).data.events.map(({ seq }: { seq: number }) => seq))
    response.end()
  })
  const url = `http://127.0.0.1:${receiver.port}/`
  const { position } = await point(gatehouse, url)
  assert.equal((await change(gatehouse, 'b/1')).status, 200)
  await until(async () => {
    await gatehouse.pushAudit()
    return (await stateOf(gatehouse)).failingSince !== null
  })
  const failing = await stateOf(gatehouse)
  assert.match(failing.error, /answered 503/)
  assert.equal(failing.position, position)
  assert.equal((await change(gatehouse, 'b/2')).status, 200)
  broken = false
  // Whoever says it anew is not made to wait for the next try.
  await point(gatehouse, url)
  await drained(gatehouse)
  const whole = Array.from({ length: taken.length }, (_, at) => position + 1 + at)
  assert.deepEqual(taken, whole)
  const mended = await stateOf(gatehouse)
  assert.deepEqual([mended.error, mended.failingSince, mended.behind], ['', null, 0])
})

test('what is put off waits, and goes on where it was', async (t) => {
  const gatehouse = await open(t)
  const receiver = await startServer(t, (_request, response) => response.end())
  const url = `http://127.0.0.1:${receiver.port}/`
  const { position } = await point(gatehouse, url, { active: false })
  await change(gatehouse, 'c/1')
  await gatehouse.pushAudit()
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  await gatehouse.call('PUT', webhookOf(gatehouse), { as, body: { active: true } })
  await drained(gatehouse)
  assert.equal(JSON.parse(receiver.seen[0]!.body).data.events[0].seq, position + 1)
  const removed = await gatehouse.call('DELETE', webhookOf(gatehouse), { as })
  assert.deepEqual([removed.status, removed.body.webhook.configured], [200, false])
  assert.equal((await gatehouse.call('DELETE', webhookOf(gatehouse), { as })).status, 404)
})

test('a webhook is set by owners, keeps to the rules about addresses, and never shows what it is', async (t) => {
  const gatehouse = await open(t, {})
  const receiver = await startServer(t, (_request, response) => response.end())
  const url = `http://127.0.0.1:${receiver.port}/hook-secret`
  const shown = await point(gatehouse, url)
  assert.equal(JSON.stringify(shown).includes('hook-secret'), false)
  await change(gatehouse, 'd/1')
  await until(async () => {
    await gatehouse.pushAudit()
    return (await stateOf(gatehouse)).failingSince !== null
  })
  assert.equal(receiver.seen.length, 0, 'an address inside has to be allowed')
  const admin = await gatehouse.addPerson('admin')
  const body = { url, signingKey }
  assert.equal((await gatehouse.call('PUT', webhookOf(gatehouse), { as: admin.jwt, body })).status, 403)
  for (const wrong of [
    { url: 'https://user:pass@siem.example.com/', signingKey },
    { url: 'http://siem.example.com/', signingKey },
    { url, signingKey: 'short' },
    { url },
  ]) {
    const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
    assert.equal((await gatehouse.call('PUT', webhookOf(gatehouse), { as, body: wrong })).status, 422)
  }
})

// Followed, 302 becomes a GET without the events, and its 200 would count as their receipt.
for (const redirect of [302, 307]) {
  test(`events are not carried along by a redirect, nor taken for received (${redirect})`, async (t) => {
    const gatehouse = await open(t)
    const elsewhere = await startServer(t, (_request, response) => response.end())
    const receiver = await startServer(t, (_request, response) =>
      response.writeHead(redirect, { location: `http://127.0.0.1:${elsewhere.port}/` }).end(),
    )
    await point(gatehouse, `http://127.0.0.1:${receiver.port}/`)
    await change(gatehouse, 'e/1')
    await until(async () => {
      await gatehouse.pushAudit()
      const { failingSince, behind } = await stateOf(gatehouse)
      return receiver.seen.length > 0 && (failingSince !== null || behind === 0)
    })
    assert.equal(elsewhere.seen.length, 0)
    assert.notEqual((await stateOf(gatehouse)).failingSince, null)
  })
}

type Receiver = { port: number; messages: string[] }

/** Takes what is framed by its length (RFC 6587 §3.4.1), as a receiver does. */
async function listen(t: TestContext, server: Server, event = 'connection'): Promise<Receiver> {
  const receiver: Receiver = { port: 0, messages: [] }
  server.on(event, (socket) => {
    const chunks: Buffer[] = []
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => {
      let rest = Buffer.concat(chunks)
      while (rest.length > 0) {
        const space = rest.indexOf(' ')
        const end = space + 1 + Number(rest.subarray(0, space).toString())
        receiver.messages.push(rest.subarray(space + 1, end).toString())
        rest = rest.subarray(end)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  receiver.port = (server.address() as AddressInfo).port
  return receiver
}

test('syslog gets the logs of all deployments, each in order and from its first event', async (t) => {
  const receiver = await listen(t, createTcpServer())
  const gatehouse = await open(t, { ...allow, GATEHOUSE_AUDIT_SYSLOG: `tcp://127.0.0.1:${receiver.port}` })
  const other = await gatehouse.addDeployment()
  const events = () => receiver.messages.map((message) => JSON.parse(message.slice(message.indexOf('{'))))
  const of = (deployment: number) => events().filter(({ deploymentId }) => deploymentId === deployment)
  await until(async () => {
    await gatehouse.pushAudit()
    return of(gatehouse.owner.deploymentId).length > 0 && of(other.id).length > 0
  })
  for (const deployment of [gatehouse.owner.deploymentId, other.id]) {
    const places = of(deployment).map(({ seq }) => seq)
    assert.deepEqual(
      places,
      places.map((_, at) => at + 1),
    )
  }
  assert.match(
    receiver.messages[0]!,
    /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z 127\.0\.0\.1 gatehouse - [!-~]{1,32} - \{"deploymentId":/,
  )
  const status = await gatehouse.call('GET', '/api/system/v1/status', { as: gatehouse.owner.jwt })
  assert.ok(
    status.body.checks.some(
      ({ part, state }: { part: string; state: string }) => part === 'audit push' && state === 'ok',
    ),
  )
})

test('a syslog receiver that is not there is a warning in the status, and nothing is lost', async (t) => {
  const gatehouse = await open(t, { ...allow, GATEHOUSE_AUDIT_SYSLOG: 'tcp://127.0.0.1:1' })
  await until(async () => {
    await gatehouse.pushAudit()
    const status = await gatehouse.call('GET', '/api/system/v1/status', { as: gatehouse.owner.jwt })
    const check = status.body.checks.find(({ part }: { part: string }) => part === 'audit push')
    return check.state === 'warning' && !/^0 events/.test(check.detail)
  })
})

test('over TLS the certificate must fit the name, and an address inside must be allowed', {
  skip: withoutOpenssl,
}, async (t) => {
  const certificate = certificateFor('DNS:siem.test')
  const receiver = await listen(t, createTlsServer(certificate), 'secureConnection')
  const resolver = async () => ['127.0.0.1']
  const signal = new AbortController().signal
  const to = (host: string) => ({ host, port: receiver.port, tls: true })
  const common = { allow: '127.0.0.1', ca: certificate.cert, resolver }
  await createSyslog({ ...common, server: to('siem.test') }).send(['grün', 'two'], signal)
  assert.deepEqual(receiver.messages, ['grün', 'two'])
  await assert.rejects(createSyslog({ ...common, server: to('other.test') }).send(['x'], signal), /TLS/)
  await assert.rejects(createSyslog({ ...common, ca: undefined, server: to('siem.test') }).send(['x'], signal), /TLS/)
  await assert.rejects(createSyslog({ ...common, allow: '', server: to('siem.test') }).send(['x'], signal))
  assert.equal(receiver.messages.length, 2)
})

test('a receiver that breaks off has taken nothing', async (t) => {
  const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const syslog = createSyslog({ server: { host: '127.0.0.1', port, tls: false }, allow: '127.0.0.1' })
  await assert.rejects(syslog.send(['x'.repeat(1_000_000)], new AbortController().signal), /did not take/)
})

const addresses: [text: string, expected: object | undefined][] = [
  ['tls://siem.example.com', { host: 'siem.example.com', port: 6514, tls: true }],
  ['tcp://10.0.0.1:1514', { host: '10.0.0.1', port: 1514, tls: false }],
  ['tls://[::1]:6514', { host: '::1', port: 6514, tls: true }],
  ['udp://siem.example.com', undefined],
  ['tls://user@siem.example.com', undefined],
  ['tls://siem.example.com/path', undefined],
  ['siem.example.com:6514', undefined],
]
for (const [text, expected] of addresses) {
  test(`${text} is ${expected ? '' : 'not '}an address of a receiver`, () => {
    assert.deepEqual(parseSyslogServer(text), expected)
  })
}
