import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../sandbox/registries/npm-registry.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let own: NpmRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  own = await startNpmRegistry({ token: 'own-secret' })
  registry.publish({ name: 'left', version: '1.0.0', publishedAt: '2020-01-01T00:00:00.000Z' })
  registry.publish({ name: 'left', version: '1.1.0', publishedAt: '2026-01-01T00:00:00.000Z' })
  own.publish({ name: '@acme/inner', version: '1.0.0' })
  proxy = await openProxyGatehouse({ upstreams: { npm: registry.url }, egressAllow: '127.0.0.1' }, gatehouse)
  const config = {
    config: { name: 'Own', url: own.url, ecosystem: 'npm', additionalConfig: { npm: { scope: 'acme' } } },
    npm: { token: 'own-secret' },
  }
  const path = '/api/agent/deployments/1/packagemanagerauthconfigs'
  const made = await gatehouse.call('POST', path, { body: { packageManagerConfigForInsert: config } })
  assert.equal(made.status, 200)
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.events.length = 0
  proxy.control.verdict = undefined
})

after(async () => {
  await proxy.close()
  await registry.close()
  await own.close()
  await gatehouse.close()
})

const short = { accept: 'application/vnd.npm.install-v1+json' }

test('both forms of a packument, with validators, and one version and the tags', async () => {
  const full = await proxy.get('npm/left')
  assert.equal(full.headers.get('content-type'), 'application/json')
  assert.ok((await full.json()).time)
  const abbreviated = await proxy.get('npm/left', { headers: short })
  assert.equal(abbreviated.headers.get('content-type'), 'application/vnd.npm.install-v1+json')
  assert.equal((await abbreviated.json()).time, undefined)
  const etag = abbreviated.headers.get('etag')!
  const again = await proxy.get('npm/left', { headers: { ...short, 'if-none-match': etag } })
  assert.equal(again.status, 304)
  assert.equal((await (await proxy.get('npm/left/1.0.0')).json()).version, '1.0.0')
  assert.equal((await (await proxy.get('npm/left/latest')).json()).version, '1.1.0')
  assert.deepEqual(await (await proxy.get('npm/-/package/left/dist-tags')).json(), { latest: '1.1.0' })
})

test('the validator changes with the verdicts', async () => {
  const first = (await proxy.get('npm/left', { headers: short })).headers.get('etag')
  proxy.blocked.set('npm left@1.1.0', 'MAL-1')
  const second = await proxy.get('npm/left', { headers: { ...short, 'if-none-match': first! } })
  assert.equal(second.status, 200)
  assert.deepEqual(Object.keys((await second.json()).versions), ['1.0.0'])
})

test('a refused version is 403 everywhere, with what, why, which advisory and whom to ask', async () => {
  proxy.blocked.set('npm left@1.1.0', 'MAL-1')
  for (const path of ['npm/left/-/left-1.1.0.tgz', 'npm/left/1.1.0']) {
    const answer = await proxy.get(path)
    assert.equal(answer.status, 403)
    const { error, code } = await answer.json()
    assert.equal(code, 'package_refused')
    assert.match(error, /left@1\.1\.0.*malicious.*MAL-1.*Ask for an exception/)
    assert.equal(answer.statusText, error)
  }
  assert.deepEqual(
    proxy.events.map(({ name, version, refused, advisoryId }) => [name, version, refused, advisoryId]),
    [
      ['left', '1.1.0', true, 'MAL-1'],
      ['left', '1.1.0', true, 'MAL-1'],
    ],
  )
})

test('what is known to be malicious is refused even where its registry does not have it', async () => {
  proxy.blocked.set('npm vanished', 'MAL-2')
  const asked = registry.seen.length
  assert.equal((await proxy.get('npm/vanished/-/vanished-1.0.0.tgz')).status, 403)
  assert.equal(registry.seen.length, asked)
})

const takenBack: [how: string, document: object][] = [
  ['without any version', { 'dist-tags': {}, versions: {} }],
  ["as npm's own registry says it", { time: { unpublished: { time: '2026-01-02T00:00:00.000Z' } } }],
]

for (const [how, document] of takenBack) {
  test(`a package that was taken back as a whole, ${how}, is not there, and refused where it was malicious`, async () => {
    const name = `taken-back-${takenBack.findIndex(([one]) => one === how)}`
    registry.control.meddle = ({ path }, honest) =>
      path === `/${name}` ? { body: JSON.stringify({ name, ...document }) } : honest
    for (const headers of [short, {}]) assert.equal((await proxy.get(`npm/${name}`, { headers })).status, 404)
    proxy.blocked.set(`npm ${name}@1.0.0`, 'MAL-4')
    const answer = await proxy.get(`npm/${name}`, { headers: short })
    assert.equal(answer.status, 403)
    assert.match((await answer.json()).error, /MAL-4/)
    registry.control.meddle = undefined
  })
}

test('a verdict is asked for every artifact, cached or not, and no verdict is a refusal', async () => {
  assert.equal((await proxy.get('npm/left/-/left-1.0.0.tgz')).status, 200)
  assert.equal((await proxy.get('npm/left/-/left-1.0.0.tgz')).status, 200)
  assert.equal(proxy.events.length, 2)
  proxy.blocked.set('npm left@1.0.0', 'MAL-3')
  assert.equal((await proxy.get('npm/left/-/left-1.0.0.tgz')).status, 403)
  proxy.blocked.clear()
  proxy.control.verdict = () => {
    throw new Error('the index is gone')
  }
  assert.equal((await proxy.get('npm/left/-/left-1.0.0.tgz')).status, 503)
  assert.equal((await proxy.get('npm/left')).status, 503)
})

test('the age gate holds a version back in both forms and as an artifact', async () => {
  proxy.control.verdict = (_name, _version, publishedAt) => {
    if (!publishedAt) return { decision: 'undetermined', refuse: true, reason: 'too young to tell' }
    return publishedAt > new Date('2025-01-01') ? { decision: 'block', refuse: true, reason: 'too young' } : {}
  }
  for (const headers of [short, {}]) {
    const { versions, 'dist-tags': tags } = await (await proxy.get('npm/left', { headers })).json()
    assert.deepEqual([Object.keys(versions), tags], [['1.0.0'], { latest: '1.0.0' }])
  }
  assert.equal((await proxy.get('npm/left/-/left-1.0.0.tgz')).status, 200)
  assert.equal((await proxy.get('npm/left/-/left-1.1.0.tgz')).status, 403)
})

test('names of a private scope are asked of their own registry and of nobody else, however they are written', async () => {
  const asked = registry.seen.length
  assert.equal((await proxy.get('npm/@acme%2finner')).status, 200)
  assert.equal((await proxy.get('npm/@acme/inner/-/inner-1.0.0.tgz')).status, 200)
  for (const path of ['@acme%2fmissing', '@ACME%2finner', '@Acme/inner', '%40acme%2fother', '@acme/x/-/x-1.0.0.tgz']) {
    assert.equal((await proxy.get(`npm/${path}`)).status, 404, path)
  }
  assert.deepEqual(registry.seen.slice(asked), [])
  assert.ok(own.seen.every(({ headers }) => headers.authorization === 'Bearer own-secret'))
})

test('an audit is passed on without the names of private scopes', async () => {
  const asked = registry.seen.length
  const bulk = gzipSync(JSON.stringify({ left: ['1.0.0'], '@acme/inner': ['1.0.0'], '@Acme/x': ['1.0.0'] }))
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const path = 'npm/-/npm/v1/security/advisories/bulk'
  assert.equal((await proxy.get(path, { method: 'POST', headers, body: bulk })).status, 200)
  const quick = { requires: { left: '^1.0.0', '@acme/inner': '1' }, dependencies: { '@acme/inner': { version: '1' } } }
  const body = JSON.stringify(quick)
  await proxy.get('npm/-/npm/v1/security/audits/quick', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const sent = registry.seen.slice(asked).map((request) => request.body.toString())
  assert.deepEqual(
    sent.map((text) => JSON.parse(text)),
    [{ left: ['1.0.0'] }, { requires: { left: '^1.0.0' }, dependencies: {} }],
  )
})

test('who may come in', async (t) => {
  const reader = await gatehouse.addPerson('readonly')
  const other = await gatehouse.addDeployment()
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['packages:read'] })
  const wrongScope = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['issues:read'] })
  const noWeb = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { webApi: false })
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const cases: [who: string, authorization: string | undefined, status: number][] = [
    ['nobody', undefined, 401],
    ['an owner', `Bearer ${gatehouse.owner.token}`, 200],
    ['a reader', `Bearer ${reader.token}`, 200],
    ['a token for packages alone', `Bearer ${narrow}`, 200],
    ['a token as password', basic('__token__', narrow), 200],
    ['a token as user name', basic(narrow, ''), 200],
    ['a token for something else', `Bearer ${wrongScope}`, 403],
    ['a token without Web API access', `Bearer ${noWeb}`, 403],
    ['a signed-in person without a token', `Bearer ${gatehouse.owner.jwt}`, 403],
    ['somebody of another deployment', `Bearer ${other.as}`, 404],
    ['a token that is none', 'Bearer nonsense', 401],
    ['a scheme that is none', 'Digest x', 401],
  ]
  for (const [who, authorization, status] of cases) {
    await t.test(`${who}: ${status}`, async () => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await proxy.get('npm/left', { as: '', headers })
      assert.equal(answer.status, status)
      if (status === 401) assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm=/)
    })
  }
})

test('nothing is published, and what is not there is 404', async () => {
  const put = await proxy.get('npm/left', {
    method: 'PUT',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(put.status, 405)
  assert.equal((await proxy.get('npm/nothing-of-the-kind')).status, 404)
  assert.equal((await proxy.get('npm/left/-/left-9.9.9.tgz')).status, 404)
})
