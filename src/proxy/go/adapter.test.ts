import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../../test/servers/proxy-gatehouse.ts'
import { type GoProxySandbox, startGoProxy } from '../../sandbox/registries/go-proxy.ts'

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const sumdb = 'sum.golang.org'
let gatehouse: TestGatehouse
let upstream: GoProxySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  upstream = await startGoProxy()
  for (const version of ['v1.0.0', 'v1.1.0']) upstream.publish({ module, version })
  upstream.publish({ module, version: 'v1.2.0', publishedAt: '2026-01-01T00:00:00Z' })
  const upstreams = { gomod: upstream.url }
  proxy = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1', goSumdb: sumdb }, gatehouse)
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.events.length = 0
  proxy.control.verdict = undefined
  upstream.control.meddle = undefined
  proxy.expire()
})

after(async () => {
  await proxy.close()
  await upstream.close()
  await gatehouse.close()
})

const module = 'acme.example/left'
const at = (file: string, of = module) => `go/${of}/@v/${file}`
const statusOf = async (path: string) => (await proxy.get(path)).status
const textOf = async (path: string) => (await proxy.get(path)).text()

test('refused versions are not in the list, and the newest that may pass is the latest', async () => {
  proxy.blocked.set(`gomod ${module}@v1.2.0`, 'MAL-1')
  assert.equal(await textOf(at('list')), 'v1.0.0\nv1.1.0\n')
  assert.equal((await (await proxy.get(`go/${module}/@latest`)).json()).Version, 'v1.1.0')
})

test('a proxy that has no latest version still has the module', async () => {
  const latest = `/${module}/@latest`
  const had = upstream.files.get(latest)!
  upstream.files.delete(latest)
  try {
    proxy.blocked.set(`gomod ${module}@v1.2.0`, 'MAL-1')
    assert.equal(await statusOf(`go${latest}`), 404)
    assert.deepEqual(proxy.events, [])
    upstream.files.delete(`/${module}/@v/list`)
    proxy.expire()
    assert.equal(await statusOf(`go${latest}`), 403)
  } finally {
    upstream.files.set(latest, had)
    upstream.files.set(`/${module}/@v/list`, 'v1.0.0\nv1.1.0\nv1.2.0\n')
  }
})

test('a refused version is 403 with our sentences, a line each, before the proxy is asked', async () => {
  proxy.blocked.set(`gomod ${module}@v1.2.0`, 'MAL-1')
  const seen = upstream.seen.length
  for (const file of ['v1.2.0.info', 'v1.2.0.zip']) {
    const refused = await proxy.get(at(file))
    assert.equal(refused.status, 403)
    assert.equal(refused.headers.get('content-type'), 'text/plain; charset=utf-8')
    const lines = (await refused.text()).split('\n')
    assert.match(lines.join(' '), /^Gatehouse refuses acme\.example\/left@v1\.2\.0: Known to be malicious: MAL-1\./)
    // The go command prints eight lines of 81 bytes together.
    assert.ok(lines.length <= 8 && lines.join('\n').length < 648)
  }
  assert.equal(upstream.seen.length, seen)
  assert.deepEqual(
    proxy.events.map(({ ecosystem, name, version, refused }) => [ecosystem, name, version, refused]),
    Array(2).fill(['gomod', module, 'v1.2.0', true]),
  )
})

test('a module that is malicious as a whole is refused by its name, and nobody is asked', async () => {
  const evil = 'evil.example/lib'
  proxy.blocked.set(`gomod ${evil}`, 'MAL-3')
  const seen = upstream.seen.length
  const files = ['list', 'v1.0.0.info', 'main.info', 'v1.0.0.mod', 'v1.0.0.zip'].map((file) => at(file, evil))
  for (const path of [...files, `go/${evil}/@latest`, `go/sumdb/${sumdb}/lookup/${evil}@v1.0.0`]) {
    assert.equal(await statusOf(path), 403, path)
  }
  assert.equal(upstream.seen.length, seen)
})

test('the go.mod of a refused version passes, for builds that use a newer one; not without any verdict', async () => {
  proxy.blocked.set(`gomod ${module}@v1.0.0`, 'MAL-1')
  assert.equal(await statusOf(at('v1.0.0.mod')), 200)
  proxy.blocked.set(`gomod ${module}`, 'MAL-1')
  assert.equal(await statusOf(at('v1.0.0.mod')), 403)
  proxy.blocked.clear()
  proxy.control.verdict = () => ({ decision: 'undetermined', refuse: true, rule: 'no_advisories', reason: 'None.' })
  assert.equal(await statusOf(at('v1.0.0.mod')), 403)
})

test('a refused version that its proxy has no longer is refused, not just missing', async () => {
  proxy.blocked.set(`gomod ${module}@v6.6.6`, 'MAL-1')
  for (const file of ['v6.6.6.info', 'v6.6.6.mod', 'v6.6.6.zip']) assert.equal(await statusOf(at(file)), 403)
  for (const file of ['v7.7.7.info', 'v7.7.7.mod', 'v7.7.7.zip']) assert.equal(await statusOf(at(file)), 404)
})

test('a module of which no version may pass is 403 in its list and as its latest', async () => {
  for (const version of ['v1.0.0', 'v1.1.0', 'v1.2.0']) proxy.blocked.set(`gomod ${module}@${version}`, 'MAL-1')
  for (const path of [at('list'), `go/${module}/@latest`]) assert.equal(await statusOf(path), 403)
})

test('an age gate goes by the time of each version, and what has none is held back', async () => {
  upstream.publish({ module: 'acme.example/timeless', version: 'v1.0.0' })
  upstream.files.set('/acme.example/timeless/@v/v1.0.0.info', '{"Version":"v1.0.0"}')
  proxy.control.verdict = (_name, _version, publishedAt) => {
    if (!publishedAt) return { decision: 'undetermined', refuse: true, rule: 'unknown_age', reason: 'No time.' }
    const isYoung = publishedAt.getUTCFullYear() > 2025
    return isYoung ? { decision: 'block', refuse: true, rule: 'too_young', reason: 'Too young.' } : {}
  }
  assert.equal(await textOf(at('list')), 'v1.0.0\nv1.1.0\n')
  assert.equal((await (await proxy.get(`go/${module}/@latest`)).json()).Version, 'v1.1.0')
  assert.equal(await statusOf(at('v1.1.0.zip')), 200)
  for (const file of ['v1.2.0.info', 'v1.2.0.zip']) assert.equal(await statusOf(at(file)), 403)
  for (const file of ['list', 'v1.0.0.zip']) assert.equal(await statusOf(at(file, 'acme.example/timeless')), 403)
})

test('what its proxy cannot say of one version leaves the others in the list', async () => {
  const of = 'acme.example/damaged'
  for (const version of ['v1.0.0', 'v1.1.0', 'v1.2.0']) upstream.publish({ module: of, version })
  upstream.control.meddle = ({ path }, honest) => {
    if (path.endsWith('/v1.1.0.info')) return { status: 500 }
    return path.endsWith('/v1.2.0.info') ? { body: 'not found' } : honest
  }
  proxy.control.verdict = (_name, _version, publishedAt) =>
    publishedAt ? {} : { decision: 'undetermined', refuse: true, rule: 'unknown_age', reason: 'No time.' }
  assert.equal(await textOf(at('list', of)), 'v1.0.0\n')
  assert.equal(await statusOf(at('v1.1.0.zip', of)), 502)
})

test('a branch is judged as the version that it stands for', async () => {
  upstream.files.set(`/${module}/@v/main.info`, '{"Version":"v1.2.0","Time":"2026-01-01T00:00:00Z"}')
  assert.equal(await statusOf(at('main.info')), 200)
  proxy.blocked.set(`gomod ${module}@v1.2.0`, 'MAL-1')
  assert.equal(await statusOf(at('main.info')), 403)
})

test('a zip and a go.mod are what the checksum database says, or they do not pass', async () => {
  const other = 'acme.example/Other'
  upstream.publish({ module: other, version: 'v1.0.0' })
  const [place, asked] = ['/acme.example/!other/@v', 'acme.example/!other']
  const zip = upstream.files.get(`${place}/v1.0.0.zip`)!
  upstream.publish({ module: other, version: 'v1.0.1' })
  upstream.files.set(`${place}/v1.0.0.zip`, upstream.files.get(`${place}/v1.0.1.zip`)!)
  upstream.files.set(`${place}/v1.0.1.mod`, 'module other\n')
  assert.equal(await statusOf(at('v1.0.0.zip', asked)), 502)
  assert.equal(await statusOf(at('v1.0.1.mod', asked)), 502)
  upstream.files.set(`${place}/v1.0.0.zip`, zip)
  assert.equal(await statusOf(at('v1.0.0.zip', asked)), 200)
  assert.equal(await statusOf(at('v1.0.0.mod', asked)), 200)
  upstream.publish({ module: other, version: 'v1.0.2' })
  upstream.control.meddle = ({ path }, honest) => (path.includes('/lookup/') ? { status: 404 } : honest)
  const unknown = await proxy.get(at('v1.0.2.zip', asked))
  assert.equal(unknown.status, 502)
  assert.match(await toldBy(unknown), /publishes no hash for acme\.example\/Other@v1\.0\.2, by sum\.golang\.org/)
})

test('zips come in parts and from the cache', async () => {
  const content = upstream.files.get(`/${module}/@v/v1.1.0.zip`) as Buffer
  assert.deepEqual(Buffer.from(await (await proxy.get(at('v1.1.0.zip'))).arrayBuffer()), content)
  const part = await proxy.get(at('v1.1.0.zip'), { headers: { range: 'bytes=2-5' } })
  assert.equal(part.status, 206)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), content.subarray(2, 6))
  assert.equal(upstream.seen.filter(({ path }) => path === `/${module}/@v/v1.1.0.zip`).length, 1)
})

test('the checksum database is passed on as it is; one that nobody passes on is not asked', async () => {
  assert.equal(await statusOf(`go/sumdb/${sumdb}/supported`), 200)
  const lookup = await textOf(`go/sumdb/${sumdb}/lookup/${module}@v1.0.0`)
  assert.match(lookup, /^\d+\nacme\.example\/left v1\.0\.0 h1:.+\n.+\/go\.mod h1:.+\n\ngo\.sum database tree\n/)
  assert.match(await textOf(`go/sumdb/${sumdb}/latest`), /^go\.sum database tree\n/)
  assert.equal((await (await proxy.get(`go/sumdb/${sumdb}/tile/8/0/000.p/2`)).arrayBuffer()).byteLength, 64)
  upstream.control.meddle = ({ path }, honest) => (path.startsWith('/sumdb/host.example/') ? { status: 404 } : honest)
  for (const path of ['supported', 'latest']) assert.equal(await statusOf(`go/sumdb/host.example/${path}`), 404)
  assert.ok(upstream.seen.some(({ path }) => path === '/sumdb/host.example/supported'))
})

test('a registry of one’s own: no database learns of its modules, and a version stays what it was first', async (t) => {
  const own = await startGoProxy()
  const secret = 'corp.example/secret'
  for (const version of ['v1.0.0', 'v1.1.0']) own.publish({ module: secret, version })
  for (const [name, url] of [
    ['Own', own.url],
    ['Public', upstream.url],
  ]) {
    const config = { name, url, ecosystem: 'gomod' }
    const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert: { config } } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    t.after(() => gatehouse.call('DELETE', `${configs}/${made.body.packageManagerConfig.id}`))
  }
  t.after(() => own.close())
  proxy.expire()
  const files = ['v1.0.0.mod', 'v1.0.0.zip']
  for (const file of files) assert.equal(await statusOf(at(file, secret)), 200)
  assert.equal(await statusOf(`go/sumdb/${sumdb}/lookup/${secret}@v1.0.0`), 404)
  assert.equal(await statusOf(`go/sumdb/${sumdb}/latest`), 200)
  const told = [...own.seen, ...upstream.seen].filter(({ path }) => path.includes('secret') && path.includes('sumdb'))
  assert.deepEqual(told, [])
  assert.ok(!upstream.seen.some(({ path }) => path.includes('secret')))

  // Another process, with nothing in its cache.
  const upstreams = { gomod: upstream.url }
  const later = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1', goSumdb: sumdb }, gatehouse)
  t.after(() => later.close())
  own.files.set(`/${secret}/@v/v1.0.0.zip`, own.files.get(`/${secret}/@v/v1.1.0.zip`)!)
  const changed = await later.get(at('v1.0.0.zip', secret))
  assert.equal(changed.status, 502)
  assert.match(await toldBy(changed), /other bytes/)
})

test('nothing is published, and unknown paths are 404', async () => {
  assert.equal((await proxy.get(at('v1.0.0.zip'), { method: 'PUT', body: 'x' })).status, 405)
  for (const path of ['go/', 'go/x', at('v1.0.0.exe'), 'go/no.example/such/@v/list'])
    assert.equal(await statusOf(path), 404)
})
