import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import pino from 'pino'
import Type from 'typebox'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { endpoint } from '../kernel/contract/endpoint.ts'
import { systemClock } from '../kernel/time/clock.ts'
import { createApi } from './api.ts'
import type { Credentials } from './requests/credentials.ts'
import { createRateLimit } from './requests/rate-limit.ts'
import { createServer } from './server.ts'
import { createReceiver } from './uploads/upload.ts'

const lines: string[] = []
const metricsToken = 'metrics-0123456789abcdef0123456789abcdef'
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({
    log: (line) => lines.push(line),
    env: { GATEHOUSE_REQUESTS_PER_MINUTE: '5000', GATEHOUSE_METRICS_TOKEN: metricsToken },
  })
})
after(() => gatehouse.close())

const team = () => `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
const repositories = () => `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
const boards = () => `/api/agent/deployments/${gatehouse.owner.deploymentId}/ruleboards`
const json = { 'content-type': 'application/json' }

test('a path is known by its words: another method is refused, and never takes a word for an id', async () => {
  const { deploymentId } = gatehouse.owner
  const list = `/api/ai/deployments/${deploymentId}/memories/list`
  const search = `/api/findings/${deploymentId}/findings/search`
  for (const [path, methods] of Object.entries({
    [list]: ['GET', 'PATCH', 'DELETE', 'PUT'],
    [search]: ['GET', 'PUT'],
  })) {
    for (const method of methods) {
      const answer = await gatehouse.call(method, path)
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], `${method} ${path}`)
    }
  }
  assert.equal(
    (await gatehouse.call('PUT', `${search.replace('search', '7')}`)).headers.get('allow'),
    'GET, HEAD, POST',
  )
  assert.equal((await gatehouse.call('GET', search.replace('search', '7'))).status, 404)
  assert.equal((await gatehouse.call('GET', search.replace('search', 'searches'))).status, 404)
})

test('a server that runs is alive and ready', async () => {
  assert.deepEqual((await gatehouse.call('GET', '/api/health-check', { as: '' })).body, { status: 'alive' })
  assert.deepEqual((await gatehouse.call('GET', '/api/readiness-check', { as: '' })).body, { status: 'ready' })
})

test('every kind of failure is a problem document', async () => {
  const body = (text: string, headers: Record<string, string> = json) => ({ body: text, headers })
  const cases: [string, string, Parameters<TestGatehouse['call']>[2], number, string][] = [
    ['GET', '/nowhere', {}, 404, 'not_found'],
    ['DELETE', boards(), {}, 405, 'method_not_allowed'],
    ['POST', team(), body('{"team": '), 400, 'malformed_request'],
    ['POST', team(), body('{"team": {"name": "\\ud800"}}'), 400, 'validation_failed'],
    ['POST', team(), body('{"team": {"name": "a\\u0000b"}}'), 400, 'validation_failed'],
    ['POST', team(), body('['.repeat(100_000)), 400, 'malformed_request'],
    ['POST', team(), body(`${'['.repeat(5_000)}${']'.repeat(5_000)}`), 400, 'malformed_request'],
    ['POST', team(), body('{"__proto__": {"name": "x"}}'), 400, 'validation_failed'],
    ['POST', team(), body(''), 400, 'malformed_request'],
    ['POST', team(), body('null'), 400, 'validation_failed'],
    ['POST', team(), body('x'.repeat(1024 * 1024 + 1)), 413, 'payload_too_large'],
    ['POST', team(), body('{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
    ['POST', team(), body('{}', { 'content-type': 'application/json; charset=latin1' }), 415, 'unsupported_media_type'],
    ['POST', team(), body('{}', { 'content-type': 'application/jsonx' }), 415, 'unsupported_media_type'],
    ['POST', team(), body('{}', { ...json, 'content-encoding': 'gzip' }), 415, 'unsupported_media_type'],
    ['GET', `${boards()}?typ=x`, {}, 400, 'validation_failed'],
    ['GET', boards().replace(/\d+/, 'one'), {}, 404, 'not_found'],
    ['GET', `${repositories()}/one`, {}, 400, 'validation_failed'],
    ['GET', boards().replace(/\d+/, 'x'.repeat(600)), {}, 414, 'uri_too_long'],
    ['GET', boards().replace(/\d+/, '%E0%A4%A'), {}, 400, 'malformed_request'],
  ]
  for (const [method, path, request, status, code] of cases) {
    const answer = await gatehouse.call(method, path, request)
    const name = `${method} ${path.slice(0, 60)}`
    assert.deepEqual([answer.status, answer.body.code], [status, code], `${name}: ${JSON.stringify(answer.body)}`)
    assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8', name)
    assert.deepEqual(
      Object.keys(answer.body)
        .filter((key) => key !== 'errors')
        .sort(),
      ['code', 'detail', 'instance', 'requestId', 'status', 'title', 'type'],
      name,
    )
    assert.equal(answer.headers.get('x-request-id'), answer.body.requestId)
  }
})

test('the names of UTF-8 are taken for it', async () => {
  for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
    const headers = { 'content-type': `application/json; charset=${charset}` }
    const answer = await gatehouse.call('POST', team(), { body: '{"team": {"name": "Größe"}}', headers })
    assert.deepEqual([answer.status, answer.body.team?.name], [200, 'Größe'], charset)
  }
})

test('what nothing is served of is refused before its body is looked at, whatever the method', async () => {
  const json = { 'content-type': 'application/json' }
  const send = async (method: string, path: string, more: RequestInit = {}) => {
    const { status, headers } = await fetch(gatehouse.url + path, { method, ...more })
    return [status, headers.get('allow')]
  }
  assert.deepEqual(await send('QUERY', '/api/health-check'), [405, 'GET, HEAD'])
  assert.deepEqual(await send('QUERY', '/nothing'), [404, null])
  assert.deepEqual(await send('PUT', '/api/health-check', { body: '{', headers: json }), [405, 'GET, HEAD'])
  assert.deepEqual(await send('POST', '/nothing', { body: '{', headers: json }), [404, null])
  assert.deepEqual(await send('POST', '/nothing', { body: 'x'.repeat(2_000_000), headers: json }), [404, null])
})

test('405 says what is allowed', async () => {
  const answer = await gatehouse.call('DELETE', boards())
  assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST'])
})

test('all faults at once, each with its pointer and the nearest known name', async () => {
  const answer = await gatehouse.call('POST', `/api/tokens/v1/deployments/${gatehouse.owner.deploymentId}/tokens`, {
    body: { nam: 'x', webApi: 'yes', expiresInDays: 1000, scopes: ['teams:raed'], extra: 1 },
  })
  assert.equal(answer.status, 400)
  assert.deepEqual(answer.body.errors, [
    { pointer: '/nam', detail: "is not known: 'nam'; did you mean 'name'?" },
    { pointer: '/webApi', detail: "must be a boolean, is the string 'yes'" },
    { pointer: '/expiresInDays', detail: 'must be between 1 and 365, is 1000' },
    { pointer: '/scopes/0', detail: answer.body.errors[3].detail },
    { pointer: '/extra', detail: answer.body.errors[4].detail },
    { pointer: '/name', detail: 'is required' },
  ])
  assert.match(answer.body.errors[3].detail, /did you mean 'teams:read'\?$/)
  assert.match(answer.body.errors[4].detail, /^is not known: 'extra'; known: name, webApi/)
})

test('a query parameter that is given twice is told so, whatever its kind', async () => {
  const scans = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans`
  const type = 'type=RULEBOARD_TYPE_SAST'
  for (const [path, name] of [
    [`${boards()}?${type}&${type}`, 'type'],
    [`${scans}?repositoryId=1&repositoryId=2`, 'repositoryId'],
  ]) {
    const { status, body } = await gatehouse.call('GET', path!)
    assert.deepEqual([status, body.errors], [400, [{ pointer: `/query/${name}`, detail: 'must be given once' }]])
  }
})

test('an integer may come as a string of digits, and nothing else', async () => {
  const path = `/api/tokens/v1/deployments/${gatehouse.owner.deploymentId}/tokens`
  assert.equal((await gatehouse.call('POST', path, { body: { name: 'x', expiresInDays: '30' } })).status, 200)
  for (const days of ['3x', '-3', '', ' 3', '1e2', 1.5, null, true, [3]]) {
    assert.equal(
      (await gatehouse.call('POST', path, { body: { name: 'x', expiresInDays: days } })).status,
      400,
      String(days),
    )
  }
})

test('what is not even HTTP gets a problem document too', async () => {
  const { hostname, port } = new URL(gatehouse.url)
  const answer = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write('THIS IS NOT HTTP\r\n\r\n'))
    socket
      .on('data', (data) => (text += data))
      .on('end', () => resolve(text))
      .on('error', reject)
  })
  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.match(answer, /application\/problem\+json/)
  assert.match(answer, /"code":"malformed_request"/)
})

test('answers carry the security headers and how much of the rate limit is left', async () => {
  const { headers } = await gatehouse.call('GET', boards())
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.equal(headers.get('ratelimit-policy'), '"default";q=5000;w=60')
  assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/)
})

test('beyond the limit: 429 with the seconds to wait, for this token alone', async () => {
  let now = new Date('2026-01-01T00:00:00Z')
  const limited = await openGatehouse({ clock: { now: () => now }, env: { GATEHOUSE_REQUESTS_PER_MINUTE: '50' } })
  try {
    const path = `/api/agent/deployments/${limited.owner.deploymentId}/ruleboards`
    let answer = await limited.call('GET', path)
    for (let i = 0; i < 60 && answer.status === 200; i++) answer = await limited.call('GET', path)
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '60'])
    assert.equal((await limited.call('GET', path, { as: limited.owner.jwt })).status, 200)
    now = new Date(now.getTime() + 60_000)
    assert.equal((await limited.call('GET', path)).status, 200)
  } finally {
    await limited.close()
  }
})

test('a request id that makes sense is kept, any other is replaced', async () => {
  const kept = await gatehouse.call('GET', boards(), { headers: { 'x-request-id': 'abcdef-123456' } })
  assert.equal(kept.headers.get('x-request-id'), 'abcdef-123456')
  const replaced = await gatehouse.call('GET', boards(), { headers: { 'x-request-id': '"><script>' } })
  assert.match(replaced.headers.get('x-request-id') ?? '', /^[A-Za-z0-9_-]{17,}$/)
})

test('the access log has a line a request and no secret in any', async () => {
  lines.length = 0
  const secret = 'canary-4f1d9b'
  await gatehouse.call('GET', `${boards()}?type=${secret}`, { headers: { cookie: secret } })
  await gatehouse.call('GET', `/nowhere/${secret}`)
  await gatehouse.call('POST', '/api/auth/login', {
    as: '',
    body: { email: `${secret}@example.com`, password: secret },
  })
  await gatehouse.call('POST', '/api/auth/refresh', { as: '', body: { refreshToken: secret } })
  await gatehouse.call('GET', boards(), { as: secret })
  await gatehouse.call('POST', team(), { body: `{"team": "${secret}"`, headers: json })
  assert.equal(lines.filter((line) => JSON.parse(line).msg === 'request').length, 6)
  const text = lines.join('\n')
  assert.ok(!text.includes(secret), text)
  assert.ok(!text.includes(gatehouse.owner.token))
  const first = JSON.parse(lines[0]!)
  assert.deepEqual(
    [first.route, first.status, first.token > 0],
    ['/api/agent/deployments/:deploymentId/ruleboards', 400, true],
  )
})

test("metrics are the operator's: nobody else reads them, not from this machine and not as an owner", async () => {
  const operator = await gatehouse.call('GET', '/metrics')
  assert.equal(operator.status, 200)
  assert.match(operator.body, /gatehouse_http_request_duration_seconds_bucket/)
  assert.ok(!operator.body.includes('deployment="'))
  assert.equal((await gatehouse.call('GET', '/metrics', { as: metricsToken })).status, 200)
  const owner = await gatehouse.addPerson('owner')
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, gatehouse.owner.deploymentId, {
    scopes: ['firewall:read'],
  })
  const refused = { '': 401, [metricsToken.slice(1)]: 401, [owner.jwt]: 403, [owner.token]: 403, [narrow]: 403 }
  for (const [as, status] of Object.entries(refused)) {
    assert.equal((await gatehouse.call('GET', '/metrics', { as })).status, status)
  }
})

// What never ends fails here and not with the whole run.
const soon = { timeout: 30_000 }

test('a bug answers 500 without a word about its cause, a hang 503 after the time-out', soon, async () => {
  const bare = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false, requestSeconds: 1 })
  const limit = createRateLimit({ limit: 1000, windowSeconds: 60, clock: systemClock })
  const api = createApi(bare, [], {
    credentials: { signInCookie: { read: () => undefined } } as unknown as Credentials,
    clock: systemClock,
    limit,
    receiver: createReceiver(tmpdir()),
    readSeconds: 1,
    checkResponses: false,
  })
  const open = {
    summary: '',
    description: '',
    tag: '',
    stability: 'stable',
    security: 'none',
    permission: 'anyone',
    method: 'GET',
    params: Type.Object({}),
    response: Type.Object({}),
    faults: [],
  } as const
  api.serve(endpoint({ ...open, id: 'bug', path: '/bug' }), () => {
    throw new Error('select * from secret_table where password = 1')
  })
  api.serve(endpoint({ ...open, id: 'hang', path: '/hang' }), () => new Promise(() => {}))
  const posted = { ...open, id: 'hang-on-post', method: 'POST', path: '/hang', body: Type.Object({}) } as const
  api.serve(endpoint(posted), () => new Promise(() => {}))
  const bug = await bare.inject('/bug')
  assert.equal(bug.statusCode, 500)
  assert.ok(!bug.body.includes('secret_table'))
  for (const request of [{ url: '/hang' }, { url: '/hang', method: 'POST', payload: {} }] as const) {
    const hang = await bare.inject(request)
    assert.deepEqual([hang.statusCode, hang.json().code, hang.headers['retry-after']], [503, 'timeout', '5'])
  }
  await bare.close()
})

test('headers that do not arrive in time are answered 408 with the limits that hold', soon, async () => {
  const bare = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false })
  await bare.listen({ host: '127.0.0.1', port: 0 })
  const { headersTimeout, requestTimeout } = bare.server
  assert.deepEqual([headersTimeout, requestTimeout], [60_000, 600_000])
  // As Node does, which looks for what is late twice a minute.
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  bare.server.once('connection', (socket) => bare.server.emit('clientError', late, socket))
  const { port } = bare.server.address() as { port: number }
  let answer = ''
  for await (const chunk of connect(port, '127.0.0.1')) answer += chunk
  assert.match(answer, /^HTTP\/1\.1 408 .*arrive within 60 seconds, and all of it within 10 minutes\./s)
  await bare.close()
})

test('a body that does not arrive in time is answered 408, and the connection is closed', soon, async () => {
  const bare = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false, requestSeconds: 1 })
  bare.post('/body', async () => ({}))
  await bare.listen({ host: '127.0.0.1', port: 0 })
  const { port } = bare.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  socket.write('POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{')
  let answer = ''
  for await (const chunk of socket) answer += chunk
  assert.match(answer, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  await bare.close()
})
