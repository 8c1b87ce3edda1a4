import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { outboundFor, say, startServer } from '../test-server.ts'

const kibibyte = 1024
const tooLarge = { reason: 'too_large' }

test('an announced body that is too large is not read at all', async (t) => {
  const server = await startServer(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100001' }).write('x')
  })
  const url = `http://registry.test:${server.port}/`
  await assert.rejects(outboundFor(t).request({ url, maxBytes: 100_000 }), tooLarge)
})

test('an unannounced one is cut off while it streams, and the server is let go', async (t) => {
  let written = 0
  const closed = Promise.withResolvers<void>()
  const server = await startServer(t, (_request, response) => {
    response.on('close', closed.resolve)
    const endless = function* () {
      for (;;) {
        written += 64 * kibibyte
        yield Buffer.alloc(64 * kibibyte)
      }
    }
    Readable.from(endless()).pipe(response)
  })
  const url = `http://registry.test:${server.port}/`
  await assert.rejects(outboundFor(t).request({ url, maxBytes: 1024 * kibibyte }), tooLarge)
  await closed.promise
  assert.ok(written < 64 * 1024 * kibibyte)
})

test('exactly as large as allowed is allowed', async (t) => {
  const server = await startServer(t, say('x'.repeat(1000)))
  const url = `http://registry.test:${server.port}/`
  const outbound = outboundFor(t)
  assert.equal((await outbound.request({ url, maxBytes: 1000 })).body.length, 1000)
  await assert.rejects(outbound.request({ url, maxBytes: 999 }), tooLarge)
})

const encodings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, identity: (bytes: Buffer) => bytes }

for (const [encoding, compress] of Object.entries(encodings)) {
  test(`${encoding}: undone when asked, handed on as it is otherwise, and limited by its true size`, async (t) => {
    const packed = compress(Buffer.from('text '.repeat(20_000)))
    const server = await startServer(t, (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packed)
    })
    const url = `http://registry.test:${server.port}/`
    const outbound = outboundFor(t)
    assert.equal((await outbound.request({ url, decompress: true })).body.toString(), 'text '.repeat(20_000))
    assert.deepEqual((await outbound.request({ url })).body, packed)
    assert.deepEqual(
      server.seen.map(({ headers }) => headers['accept-encoding']),
      ['gzip, br, deflate', 'identity'],
    )
    await assert.rejects(outbound.request({ url, decompress: true, maxBytes: 99_999 }), tooLarge)
  })
}

test('a compressed body that never yields anything is limited by what came in', async (t) => {
  const nothing = gzipSync('')
  const server = await startServer(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const endless = function* () {
      for (;;) yield Buffer.concat(Array(1000).fill(nothing))
    }
    Readable.from(endless()).pipe(response)
  })
  const url = `http://registry.test:${server.port}/`
  await assert.rejects(outboundFor(t).request({ url, decompress: true, maxBytes: 100 * kibibyte }), tooLarge)
})

test('broken, unknown and doubled encodings are bad answers; an absent body is none', async (t) => {
  const server = await startServer(t, (request, response) => {
    const [, encoding = '', status = '200'] = request.url!.split('/')
    response.writeHead(Number(status), { 'content-encoding': encoding }).end(status === '200' ? 'not compressed' : '')
  })
  const outbound = outboundFor(t)
  const base = `http://registry.test:${server.port}`
  for (const path of ['gzip', 'br', 'deflate', 'zstd', 'gzip,%20gzip']) {
    await assert.rejects(
      outbound.request({ url: `${base}/${path}`, decompress: true }),
      { reason: 'bad_response' },
      path,
    )
  }
  for (const [method, path] of [
    ['HEAD', 'gzip'],
    ['GET', 'gzip/204'],
    ['GET', 'gzip/304'],
  ] as const) {
    assert.equal((await outbound.request({ method, url: `${base}/${path}`, decompress: true })).body.length, 0)
  }
})

test('time-outs: the name, the connection, the headers, silence in the body, the whole', async (t) => {
  const server = await startServer(t, (request, response) => {
    if (request.url === '/silent') return
    response.writeHead(200).write('beginning')
    if (request.url === '/drip') {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    }
  })
  const base = `http://registry.test:${server.port}`
  const late = { reason: 'timeout' }
  const outbound = outboundFor(t, { circuitFailures: 100 })
  await assert.rejects(outbound.request({ url: `${base}/silent`, headersTimeoutMs: 100 }), {
    ...late,
    message: /did not answer/,
  })
  await assert.rejects(outbound.request({ url: `${base}/stuck`, idleTimeoutMs: 100 }), { ...late, message: /middle/ })
  await assert.rejects(outbound.request({ url: `${base}/drip`, timeoutMs: 200, idleTimeoutMs: 10_000 }), {
    ...late,
    message: /0\.2 seconds/,
  })
  await assert.rejects(outbound.request({ url: `${base}/silent`, timeoutMs: 100 }), {
    ...late,
    message: /0\.1 seconds/,
  })
  const nameless = outboundFor(t, { resolver: () => new Promise(() => {}) })
  await assert.rejects(nameless.request({ url: `${base}/`, timeoutMs: 100 }), late)
})

test('time-outs: a TLS peer that never says a word', async (t) => {
  const port = await mutePort(t)
  const outbound = outboundFor(t, { connectTimeoutMs: 100 })
  await assert.rejects(outbound.request({ url: `https://registry.test:${port}/` }), {
    reason: 'timeout',
    message: /TLS/,
  })
  const patient = outboundFor(t, { connectTimeoutMs: 60_000 })
  await assert.rejects(patient.request({ url: `https://registry.test:${port}/`, timeoutMs: 100 }), {
    reason: 'timeout',
  })
})

test('the caller can call off: before, while waiting, and while the body comes', async (t) => {
  const server = await startServer(t, (request, response) => {
    if (request.url === '/body') response.writeHead(200).write('beginning')
    else control.abort()
  })
  const base = `http://registry.test:${server.port}`
  const outbound = outboundFor(t)
  const calledOff = { reason: 'aborted' }
  await assert.rejects(outbound.request({ url: base, signal: AbortSignal.abort() }), calledOff)
  assert.equal(server.connections, 0)
  const control = new AbortController()
  await assert.rejects(outbound.request({ url: base, signal: control.signal }), calledOff)
  const later = new AbortController()
  const { body } = await outbound.stream({ url: `${base}/body`, signal: later.signal })
  const failure = once(body, 'error')
  later.abort()
  assert.equal((await failure)[0].reason, 'aborted')
  assert.deepEqual(outbound.circuits(), [])
})

async function mutePort(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as { port: number }).port
}
