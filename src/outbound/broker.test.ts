import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { outboundFor, say, startServer } from './test-server.ts'

test('goes through the broker, by name, kept open, while other requests do not', async (t) => {
  const server = await startServer(t, say('inside'))
  const broker = await startBroker(t)
  const proxy = `http://user:p%40ss@127.0.0.1:${broker.port}`
  const outbound = outboundFor(t, { proxy, allow: '', connectionsPerPool: 1 })
  const url = `http://registry.intern:${server.port}/x`
  for (let round = 0; round < 3; round++) {
    assert.equal((await outbound.request({ url, viaBroker: true })).body.toString(), 'inside')
  }
  assert.deepEqual(broker.asked, [
    { target: `registry.intern:${server.port}`, authorization: `Basic ${btoa('user:p@ss')}` },
  ])
  assert.equal(server.seen[0]?.headers['proxy-authorization'], undefined)
  await assert.rejects(outbound.request({ url }), { reason: 'blocked_address' })
})

test('targets given as an address: private ones only', async (t) => {
  const broker = await startBroker(t, 403)
  const outbound = outboundFor(t, { proxy: `http://127.0.0.1:${broker.port}`, allow: '', circuitFailures: 100 })
  for (const host of [
    '127.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:169.254.169.254]',
    '0.0.0.0',
    'localhost',
    'a.localhost',
    'LOCALHOST.',
  ]) {
    await assert.rejects(
      outbound.request({ url: `http://${host}/`, viaBroker: true }),
      { reason: 'blocked_address' },
      host,
    )
  }
  assert.deepEqual(broker.asked, [])
  for (const host of ['10.1.2.3', 'localhost.test']) {
    await assert.rejects(outbound.request({ url: `http://${host}/`, viaBroker: true }), {
      reason: 'broker',
      detail: 'status 403',
    })
  }
  assert.deepEqual(
    broker.asked.map(({ target }) => target),
    ['10.1.2.3:80', 'localhost.test:80'],
  )
})

test('redirects go through the broker too and are checked again', async (t) => {
  const server = await startServer(t, say('', 302, { location: 'http://169.254.169.254/' }))
  const broker = await startBroker(t)
  const outbound = outboundFor(t, { proxy: `http://127.0.0.1:${broker.port}`, allow: '' })
  const attempt = outbound.request({ url: `http://registry.intern:${server.port}/`, viaBroker: true })
  await assert.rejects(attempt, { reason: 'blocked_address' })
  assert.equal(broker.asked.length, 1)
})

test('a broker that is away, mute or talks out of turn', async (t) => {
  const server = await startServer(t, say('inside'))
  const asked = { url: `http://registry.intern:${server.port}/`, viaBroker: true }
  const away = outboundFor(t, { proxy: 'http://127.0.0.1:1' })
  await assert.rejects(away.request(asked), { reason: 'broker', detail: 'ECONNREFUSED' })
  const mute = await startBroker(t, 'mute')
  const waiting = outboundFor(t, { proxy: `http://127.0.0.1:${mute.port}`, connectTimeoutMs: 100 })
  await assert.rejects(waiting.request(asked), { reason: 'timeout' })
  const eager = await startBroker(t, 'eager')
  await assert.rejects(outboundFor(t, { proxy: `http://127.0.0.1:${eager.port}` }).request(asked), {
    reason: 'broker',
    detail: 'unexpected bytes',
  })
})

test('without a broker nothing goes directly instead', async (t) => {
  const server = await startServer(t, say('outside'))
  const attempt = outboundFor(t).request({ url: `http://registry.test:${server.port}/`, viaBroker: true })
  await assert.rejects(attempt, { reason: 'bad_setting' })
  assert.equal(server.connections, 0)
})

for (const proxy of ['nonsense', 'socks5://127.0.0.1', 'file:///etc']) {
  test(`the broker setting ${proxy} is refused`, (t) => {
    assert.throws(() => outboundFor(t, { proxy }), { reason: 'bad_setting' })
  })
}

/** A CONNECT proxy to whom every name is 127.0.0.1. */
async function startBroker(t: TestContext, manner: 'tunnel' | 'mute' | 'eager' | number = 'tunnel') {
  const asked: { target: string | undefined; authorization: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push({ target: request.url, authorization: request.headers['proxy-authorization'] })
    if (manner === 'mute') return
    if (typeof manner === 'number') return client.end(`HTTP/1.1 ${manner} No\r\n\r\n`)
    if (manner === 'eager') return client.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    const upstream = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream.on('error', () => {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}
