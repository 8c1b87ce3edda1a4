import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { OutboundError } from '../outbound-error.ts'
import { outboundFor, say, startServer } from '../test-server.ts'

test('sends method, headers and body, and hands back any status', async (t) => {
  const server = await startServer(t, say('{"no":true}', 422, { 'x-kind': 'a' }))
  const outbound = outboundFor(t, { userAgent: 'gatehouse/1' })
  const url = `http://registry.test:${server.port}/a%20b?c=d#e`
  const bodies = ['päyload', Buffer.from('päyload'), Readable.from([Buffer.from('päy'), Buffer.from('load')])]
  for (const body of bodies) {
    const response = await outbound.request({ method: 'post', url, headers: { 'Content-Type': 'text/x' }, body })
    assert.equal(response.status, 422)
    assert.equal(response.headers['x-kind'], 'a')
    assert.equal(response.body.toString(), '{"no":true}')
  }
  for (const seen of server.seen) {
    assert.deepEqual([seen.method, seen.url, seen.body], ['POST', '/a%20b?c=d', 'päyload'])
    assert.equal(seen.headers['content-type'], 'text/x')
    assert.equal(seen.headers['user-agent'], 'gatehouse/1')
  }
})

test('streams a large artifact whole, no faster than it is read', async (t) => {
  const size = 32 * 1024 * 1024
  const chunk = randomBytes(64 * 1024)
  let sent = 0
  const server = await startServer(t, (_request, response) => {
    const chunks = function* () {
      for (; sent < size; sent += chunk.length) yield chunk
    }
    Readable.from(chunks()).pipe(response)
  })
  const { body } = await outboundFor(t).stream({ url: `http://registry.test:${server.port}/`, maxBytes: size })
  const hash = createHash('sha256')
  let received = 0
  let furthestAhead = 0
  const slowReader = new Writable({
    write(part: Buffer, _encoding, done) {
      hash.update(part)
      received += part.length
      furthestAhead = Math.max(furthestAhead, sent - received)
      setImmediate(done)
    },
  })
  await pipeline(body, slowReader)
  const expected = createHash('sha256')
  for (let at = 0; at < size; at += chunk.length) expected.update(chunk)
  assert.equal(received, size)
  assert.equal(hash.digest('hex'), expected.digest('hex'))
  assert.ok(furthestAhead < size / 2, `the server was ${furthestAhead} bytes ahead`)
})

test('a reader that stops for good holds the server back, and closing the body lets it go', async (t) => {
  const closed = Promise.withResolvers<number>()
  const server = await startServer(t, (_request, response) => {
    let sent = 0
    const endless = function* () {
      for (;;) {
        sent += 65_536
        yield Buffer.alloc(65_536)
      }
    }
    response.on('close', () => closed.resolve(sent))
    Readable.from(endless()).pipe(response)
  })
  const { body } = await outboundFor(t).stream({ url: `http://registry.test:${server.port}/`, maxBytes: 1e9 })
  body.once('readable', () => body.destroy())
  assert.ok((await closed.promise) < 100e6)
})

test('a body cut short is an error, never a short answer', async (t) => {
  const server = await startServer(t, (request, response) => {
    response.writeHead(200, request.url === '/length' ? { 'content-length': '100' } : {}).write('half')
    setImmediate(() => response.destroy())
  })
  const outbound = outboundFor(t)
  for (const path of ['length', 'chunked']) {
    const url = `http://registry.test:${server.port}/${path}`
    await assert.rejects(outbound.request({ url }), { reason: 'disconnected' })
  }
})

test("an upload that breaks is the caller's failure and is not compared with the server", async (t) => {
  const server = await startServer(t, say('ok'))
  const outbound = outboundFor(t)
  const broken = new Readable({
    read() {
      this.destroy(new Error('canary: the disk is gone'))
    },
  })
  const attempt = outbound.request({ method: 'PUT', url: `http://registry.test:${server.port}/`, body: broken })
  await assert.rejects(attempt, { reason: 'bad_request' })
  assert.deepEqual(outbound.circuits(), [])
})

test('a body that was never sent is closed', async (t) => {
  const body = Readable.from(['x'])
  await assert.rejects(outboundFor(t, { allow: '' }).request({ method: 'PUT', url: 'http://127.0.0.1/', body }), {
    reason: 'blocked_address',
  })
  assert.equal(body.destroyed, true)
})

for (const method of ['CONNECT', 'TRACE', 'GET /', '', 'FOO']) {
  test(`the method ${JSON.stringify(method)} is refused`, async (t) => {
    await assert.rejects(outboundFor(t).request({ method, url: 'http://registry.test/' }), { reason: 'bad_request' })
  })
}

test('credentials cannot smuggle in another header, and are not quoted when refused', async (t) => {
  const server = await startServer(t, say('ok'))
  const origin = `http://registry.test:${server.port}`
  const credentials = { origin, authorization: 'Bearer canary\r\nx-more: canary' }
  await assert.rejects(outboundFor(t).request({ url: origin, credentials }), (error: OutboundError) => {
    assert.equal(error.reason, 'bad_request')
    assert.doesNotMatch(inspect(error), /canary/)
    return true
  })
  assert.equal(server.seen.length, 0)
})

test('what the credentials function throws reaches the caller as it is', async (t) => {
  const mine = new Error('vault is closed')
  const credentials = { origin: 'http://registry.test', authorization: () => Promise.reject(mine) }
  await assert.rejects(outboundFor(t).request({ url: 'http://registry.test/', credentials }), mine)
})

test('the circuit opens on broken connections and outages, not on refusals, and closes again', async (t) => {
  let answer: number | 'break' = 'break'
  const clock = { ms: 0 }
  const server = await startServer(t, (request, response) => {
    if (answer === 'break') request.socket.destroy()
    else response.writeHead(answer).end()
  })
  const url = `http://registry.test:${server.port}/`
  const outbound = outboundFor(t, { circuitFailures: 3, circuitPauseMs: 1000, now: () => clock.ms })
  const statuses = [500, 404, 401, 429] as const
  for (const status of [...statuses, ...statuses]) {
    answer = status
    assert.equal((await outbound.request({ url })).status, status)
  }
  answer = 503
  assert.equal((await outbound.request({ url })).status, 503)
  answer = 'break'
  for (let round = 0; round < 2; round++) await assert.rejects(outbound.request({ url }), { reason: 'disconnected' })
  const arrived = server.seen.length
  await assert.rejects(outbound.request({ url }), { reason: 'circuit_open' })
  assert.equal(server.seen.length, arrived)
  assert.equal(outbound.circuits()[0]?.state, 'open')
  clock.ms += 1000
  answer = 200
  assert.equal((await outbound.request({ url })).status, 200)
  assert.deepEqual(outbound.circuits(), [])
})

test('no error shows a path, a query, a header, a body or what the server said', async (t) => {
  const server = await startServer(t, (request, response) => {
    if (request.url?.includes('redirect')) response.writeHead(302, { location: 'http://canary:canary@x/canary' }).end()
    else if (request.url?.includes('downgrade')) response.writeHead(302, { location: 'ftp://x/canary' }).end()
    else if (request.url?.includes('large')) response.end('canary'.repeat(1000))
    else request.socket.destroy()
  })
  const garbage = createServer((socket) => socket.on('error', () => {}).end('canary is not HTTP\r\n\r\n'))
  await new Promise<void>((resolve) => garbage.listen(0, '127.0.0.1', resolve))
  t.after(() => garbage.close())
  const { port } = garbage.address() as { port: number }
  const outbound = outboundFor(t, { circuitFailures: 100 })
  const base = `http://registry.test:${server.port}`
  const urls = [
    ...['break', 'redirect', 'downgrade', 'large'].map((path) => `${base}/${path}/canary?canary=canary#canary`),
    `http://registry.test:${port}/canary?canary`,
    'http://127.0.0.9/canary?canary',
    'http://registry.test:1/canary?canary',
    'http://canary:canary@registry.test/',
    'canary://registry.test/',
    'http://can ary/',
  ]
  const headers = { cookie: 'canary', 'x-key': 'canary' }
  for (const url of urls) {
    const origin = URL.parse(url)?.origin ?? ''
    const asked = {
      method: 'POST',
      url,
      headers,
      body: 'canary',
      credentials: { origin, authorization: 'canary' },
      maxBytes: 100,
    }
    const error = await outbound.request(asked).catch((error) => error)
    assert.ok(error instanceof OutboundError, url)
    const shown = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify({ ...error })}`.replace(
      /\n {4}at .*/g,
      '',
    )
    assert.doesNotMatch(shown, /canary/)
  }
})
