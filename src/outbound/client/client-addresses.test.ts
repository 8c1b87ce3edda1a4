import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outboundFor, say, startServer } from '../test-server.ts'

const blocked = { reason: 'blocked_address' }

test('a server on loopback is out of reach, whatever its spelling, and no connection is made', async (t) => {
  const server = await startServer(t, say('inside'))
  const outbound = outboundFor(t, { allow: '', resolver: async () => ['127.0.0.1'] })
  const hosts = [
    '127.0.0.1',
    'localhost',
    'intern.test',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ]
  for (const host of hosts) {
    await assert.rejects(outbound.request({ url: `http://${host}:${server.port}/` }), blocked, host)
  }
  assert.equal(server.connections, 0)
})

test('the system resolver is held to the same rules', async (t) => {
  const server = await startServer(t, say('inside'))
  const outbound = outboundFor(t, { allow: '', resolver: undefined })
  await assert.rejects(outbound.request({ url: `http://localhost:${server.port}/` }), blocked)
  assert.equal(server.connections, 0)
})

test('one forbidden address among several refuses the name', async (t) => {
  const server = await startServer(t, say('inside'))
  const outbound = outboundFor(t, { resolver: async () => ['127.0.0.1', '169.254.169.254'] })
  await assert.rejects(outbound.request({ url: `http://mixed.test:${server.port}/` }), {
    ...blocked,
    detail: '169.254.169.254',
  })
  assert.equal(server.connections, 0)
})

test('a name that leads to a forbidden address on the second look-up: looked up once, no connection there', async (t) => {
  const inside = await startServer(t, say('inside'))
  let lookUps = 0
  const resolver = async () => [lookUps++ === 0 ? '127.0.0.2' : '127.0.0.1']
  const outbound = outboundFor(t, { allow: '127.0.0.2', resolver })
  const url = `http://rebinding.test:${inside.port}/`
  await assert.rejects(outbound.request({ url }), { reason: 'connect', detail: 'ECONNREFUSED' })
  assert.equal(lookUps, 1)
  await assert.rejects(outbound.request({ url }), blocked)
  assert.equal(lookUps, 2)
  assert.equal(inside.connections, 0)
})

test('a kept-open connection is not a way around the check', async (t) => {
  const outside = await startServer(t, say('outside'), { host: '127.0.0.2' })
  let address = '127.0.0.2'
  const outbound = outboundFor(t, { allow: '127.0.0.2', resolver: async () => [address] })
  const url = `http://rebinding.test:${outside.port}/`
  assert.equal((await outbound.request({ url })).body.toString(), 'outside')
  address = '127.0.0.1'
  await assert.rejects(outbound.request({ url }), blocked)
  assert.equal(outside.seen.length, 1)
})

test('a name that moves is followed to its new address, not to the open connection', async (t) => {
  const before = await startServer(t, say('before'), { host: '127.0.0.2' })
  const after = await startServer(t, say('after'), { host: '127.0.0.1', port: before.port })
  let address = '127.0.0.2'
  const outbound = outboundFor(t, { allow: '127.0.0.0/8', resolver: async () => [address] })
  const url = `http://moving.test:${before.port}/`
  assert.equal((await outbound.request({ url })).body.toString(), 'before')
  address = '127.0.0.1'
  assert.equal((await outbound.request({ url })).body.toString(), 'after')
  assert.equal(after.connections, 1)
})

test('the Host header stays the name, and connections are kept for the next request', async (t) => {
  const server = await startServer(t, say('hello'))
  const outbound = outboundFor(t, { connectionsPerPool: 1 })
  for (let round = 0; round < 5; round++) await outbound.request({ url: `http://registry.test:${server.port}/` })
  assert.equal(server.seen[0]?.headers.host, `registry.test:${server.port}`)
  assert.equal(server.connections, 1)
})

test('two names at one address share no connection', async (t) => {
  const server = await startServer(t, say('hello'))
  const outbound = outboundFor(t)
  for (const host of ['a.test', 'b.test']) await outbound.request({ url: `http://${host}:${server.port}/` })
  assert.equal(server.connections, 2)
})

test('an address that does not answer gives way to the next', async (t) => {
  const server = await startServer(t, say('hello'))
  const resolver = async () => ['127.0.0.3', '127.0.0.2', '127.0.0.1']
  const outbound = outboundFor(t, { allow: '127.0.0.0/8', resolver })
  const { body } = await outbound.request({ url: `http://registry.test:${server.port}/` })
  assert.equal(body.toString(), 'hello')
})

test('a name without addresses, and one that does not resolve', async (t) => {
  const empty = outboundFor(t, { resolver: async () => [] })
  await assert.rejects(empty.request({ url: 'http://registry.test/' }), { reason: 'dns' })
  const failing = outboundFor(t, {
    resolver: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
  })
  await assert.rejects(failing.request({ url: 'http://registry.test/' }), { reason: 'dns', detail: 'ENOTFOUND' })
})

test('pools beyond the bound are closed, the least used first, without harm to requests under way', async (t) => {
  const server = await startServer(t, say('hello'))
  const outbound = outboundFor(t, { maxPools: 2, connectionsPerPool: 1 })
  const hosts = Array.from({ length: 12 }, (_, at) => `host-${at}.test`)
  const answers = await Promise.all(hosts.map((host) => outbound.request({ url: `http://${host}:${server.port}/` })))
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    hosts.map(() => 'hello'),
  )
  await outbound.request({ url: `http://host-11.test:${server.port}/` })
  assert.equal(server.connections, 12)
  await outbound.request({ url: `http://host-0.test:${server.port}/` })
  assert.equal(server.connections, 13)
})
