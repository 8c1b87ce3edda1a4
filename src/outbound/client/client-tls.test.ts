import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateFor, withoutOpenssl } from '../test-certificate.ts'
import { outboundFor, say, startServer } from '../test-server.ts'

const skip = withoutOpenssl

test('TLS: the certificate must be trusted and be for the name in the URL, at whatever address', {
  skip,
}, async (t) => {
  const tls = certificateFor('DNS:registry.test,IP:127.0.0.1')
  const server = await startServer(t, say('hello'), { tls })
  const outbound = outboundFor(t, { ca: tls.cert })
  for (const host of ['registry.test', '127.0.0.1']) {
    assert.equal((await outbound.request({ url: `https://${host}:${server.port}/` })).body.toString(), 'hello')
  }
  const mismatch = { reason: 'tls', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' }
  await assert.rejects(outbound.request({ url: `https://other.test:${server.port}/` }), mismatch)
  const stranger = outboundFor(t)
  await assert.rejects(stranger.request({ url: `https://registry.test:${server.port}/` }), { reason: 'tls' })
  assert.equal(server.seen.length, 2)
})

test('TLS: a redirect down to http is refused and nothing is asked there', { skip }, async (t) => {
  const tls = certificateFor('DNS:registry.test')
  const plain = await startServer(t, say('plain'))
  const server = await startServer(t, say('', 302, { location: `http://registry.test:${plain.port}/` }), { tls })
  const outbound = outboundFor(t, { ca: tls.cert })
  await assert.rejects(outbound.request({ url: `https://registry.test:${server.port}/` }), { reason: 'bad_redirect' })
  assert.equal(plain.connections, 0)
})

test('TLS: to a server that does not speak it', async (t) => {
  const server = await startServer(t, say('plain'))
  await assert.rejects(outboundFor(t).request({ url: `https://registry.test:${server.port}/` }), { reason: 'tls' })
})

test('TLS: the environment cannot switch verification off', { skip }, async (t) => {
  const tls = certificateFor('DNS:registry.test')
  const server = await startServer(t, say('hello'), { tls })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  })
  await assert.rejects(outboundFor(t).request({ url: `https://registry.test:${server.port}/` }), { reason: 'tls' })
})
