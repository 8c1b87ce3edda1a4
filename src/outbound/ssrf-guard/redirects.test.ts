import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type Hop, nextHop } from './redirects.ts'

const here = 'https://registry.test/a/b?c'

function hop(change: Partial<Hop> = {}): Hop {
  return { url: new URL(here), method: 'GET', headers: {}, body: undefined, hasCrossed: false, ...change }
}

const methods: [status: number, before: string, after: string, body: 'kept' | 'dropped'][] = [
  [301, 'POST', 'GET', 'dropped'],
  [301, 'PUT', 'PUT', 'kept'],
  [302, 'POST', 'GET', 'dropped'],
  [302, 'DELETE', 'DELETE', 'kept'],
  [303, 'POST', 'GET', 'dropped'],
  [303, 'PUT', 'GET', 'dropped'],
  [303, 'HEAD', 'HEAD', 'dropped'],
  [307, 'POST', 'POST', 'kept'],
  [307, 'HEAD', 'HEAD', 'dropped'],
  [308, 'PATCH', 'PATCH', 'kept'],
]

for (const [status, before, after, fate] of methods) {
  test(`${status} makes ${before} ${after}, the body ${fate}`, () => {
    const body = ['GET', 'HEAD'].includes(before) ? undefined : 'payload'
    const headers = { 'content-type': 'text/plain', 'content-length': '7', accept: '*/*' }
    const next = nextHop(hop({ method: before, body, headers }), status, '/next')
    assert.equal(next?.method, after)
    assert.equal(next?.body, fate === 'kept' ? 'payload' : undefined)
    assert.equal(next?.headers.accept, '*/*')
    assert.equal(next?.headers['content-type'], fate === 'kept' || before === 'HEAD' ? 'text/plain' : undefined)
  })
}

for (const [status, location] of [
  [200, '/x'],
  [204, '/x'],
  [300, '/x'],
  [304, '/x'],
  [305, '/x'],
  [404, '/x'],
  [302, undefined],
] as const) {
  test(`${status} with location ${location} is an answer, not a redirect`, () => {
    assert.equal(nextHop(hop(), status, location), undefined)
  })
}

const locations: [location: string, leadsTo: string][] = [
  ['/x', 'https://registry.test/x'],
  ['x', 'https://registry.test/a/x'],
  ['?q', 'https://registry.test/a/b?q'],
  ['//cdn.test/x', 'https://cdn.test/x'],
  ['https://cdn.test/x#f', 'https://cdn.test/x'],
]

for (const [location, leadsTo] of locations) {
  test(`location ${location} leads to ${leadsTo}`, () => {
    assert.equal(nextHop(hop(), 302, location)?.url.href, leadsTo)
  })
}

const secrets = { cookie: 'a=b', 'x-api-key': 'k', authorization: 'Bearer t', 'private-token': 't', referer: 'r' }

for (const location of ['https://cdn.test/', 'https://registry.test:8443/', 'https://sub.registry.test/']) {
  test(`only harmless headers go along to ${location}`, () => {
    const next = nextHop(hop({ headers: { ...secrets, accept: '*/*', range: 'bytes=0-' } }), 302, location)
    assert.deepEqual(next?.headers, { accept: '*/*', range: 'bytes=0-' })
    assert.equal(next?.hasCrossed, true)
  })
}

test('all headers go along within the origin, and what has crossed once stays crossed on the way back', () => {
  const same = nextHop(hop({ headers: secrets }), 302, '/x')
  assert.deepEqual(same?.headers, secrets)
  assert.equal(same?.hasCrossed, false)
  const away = nextHop(hop({ headers: secrets }), 302, 'https://cdn.test/')!
  const back = nextHop(away, 302, here)
  assert.equal(back?.hasCrossed, true)
  assert.deepEqual(back?.headers, {})
  assert.equal(nextHop(back!, 302, '/x')?.hasCrossed, true)
})

const refused: [why: string, change: Partial<Hop>, status: number, location: string, reason: string][] = [
  ['to plain http', {}, 302, 'http://registry.test/', 'bad_redirect'],
  ['to plain http elsewhere', {}, 301, 'http://cdn.test/', 'bad_redirect'],
  ['to another scheme', {}, 302, 'file:///etc/passwd', 'bad_url'],
  ['to a URL with a password', {}, 302, 'https://a:b@registry.test/', 'bad_url'],
  ['to nonsense', {}, 302, 'https://', 'bad_url'],
  ['with a stream, which is gone', { method: 'PUT', body: Readable.from(['x']) }, 307, '/x', 'bad_redirect'],
  ['with a stream, kept by 302', { method: 'PUT', body: Readable.from(['x']) }, 302, '/x', 'bad_redirect'],
  [
    'with a body to another origin',
    { method: 'POST', body: 'client_secret=x' },
    308,
    'https://cdn.test/',
    'bad_redirect',
  ],
]

for (const [why, change, status, location, reason] of refused) {
  test(`a redirect ${why} is refused`, () => {
    assert.throws(() => nextHop(hop(change), status, location), { reason })
  })
}

test('from http to https is fine, and a stream does no harm where the body is dropped', () => {
  assert.ok(nextHop(hop({ url: new URL('http://registry.test/') }), 301, here))
  assert.ok(nextHop(hop({ method: 'POST', body: Readable.from(['x']) }), 303, '/x'))
})
