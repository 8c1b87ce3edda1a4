import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outboundFor, say, startServer } from '../test-server.ts'

test("an origin of the operator's choice may be on a private address, nothing it redirects to, and never a metadata service", async (t) => {
  const inside = await startServer(t, say('inside'))
  const chosen = await startServer(t, (request, response, server) => {
    if (request.url === '/') return say('chosen')(request, response, server)
    say('', 302, { location: `http://other.example:${inside.port}/` })(request, response, server)
  })
  const origin = `http://registry.example:${chosen.port}`
  const isOperators = (asked: string) => asked === origin
  const outbound = outboundFor(t, { allow: '', isOperators })
  assert.equal((await outbound.request({ url: `${origin}/` })).body.toString(), 'chosen')
  await assert.rejects(outbound.request({ url: `${origin}/away` }), { reason: 'blocked_address' })
  await assert.rejects(outbound.request({ url: `http://other.example:${inside.port}/` }), { reason: 'blocked_address' })
  assert.equal(inside.seen.length, 0)
  const metadata = outboundFor(t, { allow: '', isOperators, resolver: async () => ['169.254.169.254'] })
  await assert.rejects(metadata.request({ url: `${origin}/` }), { reason: 'blocked_address' })
})
