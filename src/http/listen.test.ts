import assert from 'node:assert/strict'
import { createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { createGracefulServer } from './graceful-shutdown.ts'
import { createServer } from './server.ts'

// Every Linux has the whole of 127/8; elsewhere the other address of localhost is the usual one.
const second = process.platform === 'linux' ? '127.0.0.2' : '::1'
const both = async () => ['127.0.0.1', second, '127.0.0.1']
const at = { host: 'localhost', port: 0 }

function makeServer(t: TestContext) {
  const app = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false })
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  app.get('/quick', async ({ ip }) => ({ ip }))
  app.get('/slow', async () => {
    asked.resolve()
    await answer.promise
    return { answered: true }
  })
  t.after(() => app.close())
  const server = createGracefulServer(app)
  const url = (address: string, path: string) => {
    const { port } = app.server.address() as { port: number }
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}${path}`
  }
  return { server, app, asked: asked.promise, answer: answer.resolve, url }
}

test('a host with two addresses is answered for at both, and says so', async (t) => {
  const { server, url } = makeServer(t)
  const { addresses, missing } = await server.open(at, both)
  assert.deepEqual([addresses, missing], [['127.0.0.1', second], []])
  for (const address of addresses) {
    const answer = await fetch(url(address, '/quick'))
    assert.equal(answer.status, 200)
  }
})

test('another program at one of the addresses is a reason not to start, and is named', async (t) => {
  const taken = createTcpServer()
  await new Promise<void>((resolve) => taken.listen(0, second, resolve))
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const { server } = makeServer(t)
  await assert.rejects(server.open({ ...at, port }, both), { code: 'EADDRINUSE', address: second })
})

test('an address that this machine does not have is passed over and named, unless there is no other', async (t) => {
  const away = '192.0.2.1'
  const { server, url } = makeServer(t)
  const { addresses, missing } = await server.open(at, async () => [away, second])
  assert.deepEqual([addresses, missing], [[second], [away]])
  assert.equal((await fetch(url(second, '/quick'))).status, 200)
  await assert.rejects(
    makeServer(t).server.open(at, async () => [away]),
    { code: 'EADDRNOTAVAIL' },
  )
})

test('closing waits for what is under way at either address', async (t) => {
  for (const address of ['127.0.0.1', second]) {
    const { server, app, asked, answer, url } = makeServer(t)
    await server.open(at, both)
    const place = url(address, '/slow')
    const answered = fetch(place).then((response) => response.json())
    await asked
    let isClosed = false
    const closing = server.close().then(() => {
      isClosed = true
    })
    // Nobody new gets in any more: from here on it only waits for the one under way.
    while (app.server.listening) await new Promise((resolve) => setTimeout(resolve, 10))
    await assert.rejects(fetch(place))
    assert.equal(isClosed, false, address)
    answer()
    assert.deepEqual(await answered, { answered: true }, address)
    await closing
  }
})
