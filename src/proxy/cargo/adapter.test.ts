import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../../test/servers/proxy-gatehouse.ts'
import { type CargoRegistrySandbox, startCargoRegistry } from '../../sandbox/registries/cargo-registry.ts'

let gatehouse: TestGatehouse
let registry: CargoRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startCargoRegistry()
  for (const version of ['1.0.0', '1.1.0']) registry.publish({ name: 'left', version })
  registry.publish({ name: 'left', version: '1.2.0', publishedAt: '2026-01-01T00:00:00Z' })
  registry.publish({ name: 'Inflector', version: '1.0.0' })
  proxy = await openProxyGatehouse({ upstreams: { cargo: registry.url }, egressAllow: '127.0.0.1' }, gatehouse)
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.events.length = 0
  proxy.control.verdict = undefined
  registry.control.meddle = undefined
  proxy.expire()
})

after(async () => {
  await proxy.close()
  await registry.close()
  await gatehouse.close()
})

const crate = (version: string, name = 'left') => `cargo/api/v1/crates/${name}/${version}/download`

async function yanked(path = 'cargo/le/ft/left'): Promise<Record<string, boolean>> {
  const lines = (await (await proxy.get(path)).text()).trim().split('\n')
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ vers, yanked: is }) => [vers, is]))
}

test('the configuration sends downloads here and asks for the token, which may come by itself', async () => {
  const config = await proxy.get('cargo/config.json', { as: '', headers: { authorization: proxy.token } })
  const dl = `${proxy.url}/firewall/1/cargo/api/v1/crates/{crate}/{version}/download`
  assert.deepEqual(await config.json(), { dl, 'auth-required': true })
  assert.equal((await proxy.get('cargo/config.json', { as: '' })).status, 401)
  const stranger = await proxy.get('cargo/config.json', { as: '', headers: { authorization: 'gth_nobody' } })
  assert.equal(stranger.status, 401)
})

test('a refused version is yanked in the index and 403 as a crate, before the registry is asked for it', async () => {
  proxy.blocked.set('cargo left@1.2.0', 'MAL-1')
  assert.deepEqual(await yanked(), { '1.0.0': false, '1.1.0': false, '1.2.0': true })
  const seen = registry.seen.length
  const refused = await proxy.get(crate('1.2.0'))
  assert.equal(refused.status, 403)
  assert.equal(refused.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(
    await toldBy(refused),
    /^Gatehouse refuses left@1\.2\.0: Known to be malicious: MAL-1\. Ask for an exception/,
  )
  assert.equal(registry.seen.length, seen)
  assert.deepEqual(
    proxy.events.map(({ ecosystem, name, version, refused: was }) => [ecosystem, name, version, was]),
    [['cargo', 'left', '1.2.0', true]],
  )
})

test('a crate that is malicious as a whole is refused by its name, and nobody is asked', async () => {
  proxy.blocked.set('cargo wholly-evil', 'MAL-3')
  const seen = registry.seen.length
  for (const path of ['cargo/wh/ol/wholly-evil', crate('1.0.0', 'wholly-evil')]) {
    const refused = await proxy.get(path)
    assert.equal(refused.status, 403)
    assert.match(await toldBy(refused), /Known to be malicious: MAL-3/)
  }
  assert.equal(registry.seen.length, seen)
})

test('a crate of which no version may pass is 403 in the index too', async () => {
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) proxy.blocked.set(`cargo left@${version}`, 'MAL-1')
  const refused = await proxy.get('cargo/le/ft/left')
  assert.equal(refused.status, 403)
  assert.match(await toldBy(refused), /No other version of it may pass/)
})

test('a crate is known to advisories as it was published, whatever its path looks like', async () => {
  proxy.blocked.set('cargo Inflector', 'MAL-2')
  assert.equal((await proxy.get('cargo/in/fl/inflector')).status, 403)
  assert.equal((await proxy.get(crate('1.0.0', 'inflector'))).status, 403)
  assert.equal((await proxy.get(crate('1.0.0', 'Inflector'))).status, 403)
})

test('an age gate goes by the time in the index; without one nothing passes', async () => {
  registry.publish({ name: 'timeless', version: '1.0.0', publishedAt: undefined })
  proxy.control.verdict = (_name, _version, publishedAt) => {
    if (!publishedAt) return { decision: 'undetermined', refuse: true, rule: 'unknown_age', reason: 'No time.' }
    const isYoung = publishedAt.getUTCFullYear() > 2025
    return isYoung ? { decision: 'block', refuse: true, rule: 'too_young', reason: 'Too young.' } : {}
  }
  assert.deepEqual(await yanked(), { '1.0.0': false, '1.1.0': false, '1.2.0': true })
  assert.equal((await proxy.get(crate('1.1.0'))).status, 200)
  assert.equal((await proxy.get(crate('1.2.0'))).status, 403)
  assert.equal((await proxy.get('cargo/ti/me/timeless')).status, 403)
  assert.equal((await proxy.get(crate('1.0.0', 'timeless'))).status, 403)
})

test('a crate without a checksum does not pass, nor one that is not what its checksum says', async () => {
  registry.publish({ name: 'sumless', version: '1.0.0' })
  delete registry.index.get('su/ml/sumless')![0]!.cksum
  const refused = await proxy.get(crate('1.0.0', 'sumless'))
  assert.equal(refused.status, 502)
  assert.match(await toldBy(refused), /publishes no hash/)
  registry.publish({ name: 'other', version: '1.0.0' })
  registry.crates.set('/crates/other/1.0.0/download', Buffer.from('other bytes'))
  assert.equal((await proxy.get(crate('1.0.0', 'other'))).status, 502)
})

test('crates come whole, in parts, and from the cache; the index is asked for by its tag', async () => {
  const content = registry.crates.get('/crates/left/1.1.0/download')!
  assert.deepEqual(Buffer.from(await (await proxy.get(crate('1.1.0'))).arrayBuffer()), content)
  const part = await proxy.get(crate('1.1.0'), { headers: { range: 'bytes=2-5' } })
  assert.equal(part.status, 206)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), content.subarray(2, 6))
  const asked = () => registry.seen.filter(({ path }) => path === '/crates/left/1.1.0/download').length
  const before = asked()
  assert.equal((await proxy.get(crate('1.1.0'))).status, 200)
  assert.equal(asked(), before)
  const etag = (await proxy.get('cargo/le/ft/left')).headers.get('etag')!
  assert.equal((await proxy.get('cargo/le/ft/left', { headers: { 'if-none-match': etag } })).status, 304)
})

test('a version that was published just now is found', async () => {
  registry.publish({ name: 'fresh', version: '1.0.0' })
  assert.equal((await proxy.get('cargo/fr/es/fresh')).status, 200)
  registry.publish({ name: 'fresh', version: '1.0.1' })
  proxy.clock.ahead += 2_000
  assert.equal((await proxy.get(crate('1.0.1', 'fresh'))).status, 200)
})

test('downloads on a host that is not the registry’s own do not pass', async () => {
  registry.control.meddle = ({ path }, honest) =>
    path === '/config.json' ? { body: JSON.stringify({ dl: 'http://localhost:1/crates' }) } : honest
  registry.publish({ name: 'elsewhere', version: '1.0.0' })
  const refused = await proxy.get(crate('1.0.0', 'elsewhere'))
  assert.equal(refused.status, 502)
  assert.match(await toldBy(refused), /not one of its own hosts/)
})

test('nothing is published, and unknown paths are 404', async () => {
  assert.equal((await proxy.get('cargo/api/v1/crates/new', { method: 'PUT', body: 'x' })).status, 405)
  assert.equal((await proxy.get('cargo/api/v1/crates?q=left')).status, 404)
  assert.equal((await proxy.get('cargo/no/th/nothing')).status, 404)
})
