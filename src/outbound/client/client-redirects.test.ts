import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { outboundFor, say, startServer, type TestServer } from '../test-server.ts'

const bearer = 'Bearer canary-token'

function secretsSeenBy(server: TestServer): string[] {
  return server.seen.flatMap(
    ({ headers, url, body }) => JSON.stringify([headers, url, body]).match(/canary-\w+/g) ?? [],
  )
}

test('follows three redirects and not four', async (t) => {
  const server = await startServer(t, (request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end('arrived')
    else response.writeHead(302, { location: `/${left - 1}` }).end('on')
  })
  const outbound = outboundFor(t)
  const base = `http://registry.test:${server.port}`
  const { body, url } = await outbound.request({ url: `${base}/3` })
  assert.equal(body.toString(), 'arrived')
  assert.equal(url, `${base}/0`)
  await assert.rejects(outbound.request({ url: `${base}/4` }), { reason: 'too_many_redirects' })
  assert.equal(server.seen.at(-1)?.url, '/1')
  await assert.rejects(outbound.request({ url: `${base}/1`, maxRedirects: 0 }), { reason: 'too_many_redirects' })
})

for (const target of [
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://127.0.0.2:PORT/',
  'http://intern.test:PORT/',
  'http://[::ffff:169.254.169.254]/',
]) {
  test(`a redirect to ${target} makes no connection`, async (t) => {
    const inside = await startServer(t, say('inside'), { host: '127.0.0.2' })
    const location = target.replace('PORT', String(inside.port))
    const outside = await startServer(t, say('', 302, { location }))
    const outbound = outboundFor(t, { resolver: async (name) => [name === 'intern.test' ? '127.0.0.2' : '127.0.0.1'] })
    await assert.rejects(outbound.request({ url: `http://registry.test:${outside.port}/` }), {
      reason: 'blocked_address',
    })
    assert.equal(inside.connections, 0)
  })
}

test('credentials go to their origin, again after a redirect within it', async (t) => {
  const server = await startServer(t, (request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end()
    else response.end('ok')
  })
  const origin = `http://registry.test:${server.port}`
  const outbound = outboundFor(t)
  for (const authorization of [bearer, () => bearer, async () => bearer]) {
    await outbound.request({ url: `${origin}/a`, credentials: { origin: `${origin}/`, authorization } })
  }
  assert.deepEqual(new Set(server.seen.map(({ headers }) => headers.authorization)), new Set([bearer]))
  assert.equal(server.seen.length, 6)
})

test('credentials of another origin are not sent at all', async (t) => {
  const server = await startServer(t, say('ok'))
  const outbound = outboundFor(t)
  const url = `http://registry.test:${server.port}/`
  const authorization = () => assert.fail('was asked for')
  for (const origin of [
    'https://registry.test',
    `https://registry.test:${server.port}`,
    `http://other.test:${server.port}`,
    'http://registry.test',
    'nonsense',
    '',
  ]) {
    await outbound.request({ url, credentials: { origin, authorization } })
  }
  assert.deepEqual(
    server.seen.map(({ headers }) => headers.authorization),
    Array(6).fill(undefined),
  )
})

test('nothing secret goes to the origin of a redirect, and nothing comes back with it', async (t) => {
  const sink = await startServer(t, (_request, response) => {
    response.writeHead(302, { location: `http://registry.test:${home.port}/back` }).end()
  })
  const home = await startServer(t, (request, response) => {
    if (request.url === '/end') response.end('ok')
    else if (request.url === '/back') response.writeHead(302, { location: '/end' }).end()
    else response.writeHead(302, { location: `http://registry.test:${sink.port}/` }).end()
  })
  const origin = `http://registry.test:${home.port}`
  await outboundFor(t).request({
    url: `${origin}/start?q=canary-query`,
    headers: {
      cookie: 'canary-cookie',
      'x-api-key': 'canary-key',
      authorization: 'canary-header',
      accept: 'text/plain',
    },
    credentials: { origin, authorization: bearer },
  })
  assert.deepEqual(secretsSeenBy(sink), [])
  assert.equal(sink.seen[0]?.headers.accept, 'text/plain')
  assert.equal(home.seen[0]?.headers.authorization, bearer)
  assert.deepEqual(
    home.seen.map(({ url }) => url),
    ['/start?q=canary-query', '/back', '/end'],
  )
  for (const { headers } of home.seen.slice(1)) assert.doesNotMatch(JSON.stringify(headers), /canary/)
})

test('a request body is not handed on to another origin', async (t) => {
  const sink = await startServer(t, say('thanks'))
  const home = await startServer(t, say('', 307, { location: `http://registry.test:${sink.port}/` }))
  const url = `http://registry.test:${home.port}/token`
  await assert.rejects(outboundFor(t).request({ url, method: 'POST', body: 'secret=canary-body' }), {
    reason: 'bad_redirect',
  })
  assert.equal(sink.connections, 0)
})

test('a body is sent again within the origin, a stream is not', async (t) => {
  const server = await startServer(t, (request, response) => {
    if (request.url === '/a') response.writeHead(308, { location: '/b' }).end()
    else response.end('ok')
  })
  const url = `http://registry.test:${server.port}/a`
  const outbound = outboundFor(t)
  await outbound.request({ url, method: 'PUT', body: 'payload' })
  assert.deepEqual(
    server.seen.map((seen) => [seen.method, seen.body]),
    [
      ['PUT', 'payload'],
      ['PUT', 'payload'],
    ],
  )
  const refused = outbound.request({ url, method: 'PUT', body: Readable.from([Buffer.from('payload')]) })
  await assert.rejects(refused, { reason: 'bad_redirect' })
  assert.equal(server.seen.length, 3)
})

test('a short redirect body does not cost the connection', async (t) => {
  const server = await startServer(t, (request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end('moved')
    else response.end('ok')
  })
  const outbound = outboundFor(t, { connectionsPerPool: 1 })
  for (let round = 0; round < 3; round++) await outbound.request({ url: `http://registry.test:${server.port}/a` })
  assert.equal(server.connections, 1)
})

test('a redirect with an endless body is left at once', async (t) => {
  const left = Promise.withResolvers<void>()
  const server = await startServer(t, (request, response) => {
    if (request.url === '/b') return response.end('ok')
    response.on('close', left.resolve)
    response.writeHead(302, { location: '/b' })
    Readable.from(Array(100_000).fill(Buffer.alloc(65_536))).pipe(response)
  })
  const { body } = await outboundFor(t).request({ url: `http://registry.test:${server.port}/a` })
  assert.equal(body.toString(), 'ok')
  await left.promise
})
