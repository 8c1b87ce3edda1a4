import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
let cookie: string
before(async () => {
  gatehouse = await openGatehouse()
  cookie = await signIn({ origin: gatehouse.url })
})
after(() => gatehouse.close())

const path = '/api/auth/session'

async function attempt(headers: Record<string, string>) {
  const { email, password } = gatehouse.owner
  return gatehouse.call('POST', path, { as: '', headers, body: { email, password } })
}

async function signIn(headers: Record<string, string>): Promise<string> {
  return (await attempt(headers)).headers.get('set-cookie')!.split(';')[0]!
}

let name = 0
/** A change by the cookie; how it was answered. */
async function change(headers: Record<string, string>, body: unknown = { name: `Made ${name++}` }): Promise<string> {
  const answer = await gatehouse.call('POST', '/api/deployments/v1/deployments', {
    as: '',
    headers: { cookie, ...headers },
    body,
  })
  return answer.status === 200 ? 'done' : answer.body.code
}

test('a page of ours may change things, and no page of anybody else', async () => {
  const { host } = new URL(gatehouse.url)
  const cases: [what: string, headers: Record<string, string>, expected: string][] = [
    ['our page', { 'sec-fetch-site': 'same-origin' }, 'done'],
    ['our page, in a browser that only names its origin', { origin: gatehouse.url }, 'done'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 'cross_site'],
    ['another port, or a sub-domain', { 'sec-fetch-site': 'same-site' }, 'cross_site'],
    ['an address bar, which sends no changes', { 'sec-fetch-site': 'none' }, 'cross_site'],
    ['another site with our origin made up', { 'sec-fetch-site': 'cross-site', origin: gatehouse.url }, 'cross_site'],
    ['the origin of another site', { origin: 'https://evil.example' }, 'cross_site'],
    ['the origin of another port', { origin: 'http://127.0.0.1:1' }, 'cross_site'],
    ['the origin of a sub-domain', { origin: `http://evil.${host}` }, 'cross_site'],
    ['the origin of another scheme', { origin: `https://${host}` }, 'cross_site'],
    ['the origin of a sandboxed page or a data address', { origin: 'null' }, 'cross_site'],
    ['nobody says where it comes from', {}, 'cross_site'],
  ]
  for (const [what, headers, expected] of cases) assert.equal(await change(headers), expected, what)
})

test('what a form can send is refused, even from a page of ours', async () => {
  const ours = { 'sec-fetch-site': 'same-origin' }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
  ])
    assert.equal(await change({ ...ours, 'content-type': type }, '{"name":"Form"}'), 'cross_site', type)
  const upload = (more: Record<string, string>) => {
    const part = 'content-disposition: form-data; name="scan"\r\ncontent-type: application/json'
    const scan = JSON.stringify({ repository: 'by/cookie', ref: 'main' })
    const file = 'content-disposition: form-data; name="go.mod"; filename="go.mod"\r\n\r\nmodule example.com/by\n'
    const body = `--x\r\n${part}\r\n\r\n${scan}\r\n--x\r\n${file}\r\n--x--\r\n`
    const headers = { cookie, ...ours, 'content-type': 'multipart/form-data; boundary=x', ...more }
    return gatehouse.call('POST', `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans`, {
      as: '',
      headers,
      body,
    })
  }
  assert.equal((await upload({})).body.code, 'cross_site')
  const taken = await upload({ 'x-gatehouse': 'console' })
  assert.equal(taken.status, 200, JSON.stringify(taken.body))
})

test('reading takes no proof, and changes nothing', async () => {
  const read = (headers: Record<string, string>) =>
    gatehouse.call('GET', path, { as: '', headers: { cookie, ...headers } })
  assert.equal((await read({})).status, 200)
  assert.equal((await read({ 'sec-fetch-site': 'none' })).status, 200)
})

test('nobody is signed in by another site, whether they were before or not', async () => {
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Record<
    string,
    string
  >[])
    assert.equal((await attempt(headers)).body.code, 'cross_site')
  assert.equal((await attempt({ cookie })).body.code, 'cross_site')
  assert.equal((await attempt({})).status, 200)
})

test('programs with a token are asked nothing of this, and there is no CORS', async () => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie }
  const answer = await gatehouse.call('GET', '/api/tokens/v1/self', { headers })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
  const asked = await gatehouse.call('OPTIONS', '/api/deployments/v1/deployments', {
    as: '',
    headers: { ...headers, 'access-control-request-method': 'POST' },
  })
  assert.ok(asked.status >= 400 && !asked.headers.get('access-control-allow-origin'))
})

test('under https the cookie is bound to this host, and pages are known by the address that the operator gave', async () => {
  const secure = await openGatehouse({ env: { GATEHOUSE_URL: 'https://gatehouse.example.com/' } })
  try {
    const { email, password } = secure.owner
    const own = { origin: 'https://gatehouse.example.com' }
    const answer = await secure.call('POST', path, { as: '', headers: own, body: { email, password } })
    const set = answer.headers.get('set-cookie')!
    assert.match(set, /^__Host-gatehouse=gths_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    const given = set.split(';')[0]!
    const read = (value: string) => secure.call('GET', path, { as: '', headers: { cookie: value } })
    const { status, body } = await read(given)
    assert.deepEqual([status, body.server.https, body.server.publicUrl], [200, true, 'https://gatehouse.example.com'])
    assert.equal((await read(given.replace('__Host-', ''))).status, 401)
    const end = (origin: string) => secure.call('DELETE', path, { as: '', headers: { cookie: given, origin } })
    assert.equal((await end(secure.url)).body.code, 'cross_site')
    assert.equal((await end(own.origin)).status, 200)
  } finally {
    await secure.close()
  }
})
