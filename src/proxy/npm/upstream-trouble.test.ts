import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../sandbox/registries/npm-registry.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let elsewhere: NpmRegistrySandbox
let proxy: ProxyGatehouse
let packages = 0

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry({ token: 'secret' })
  elsewhere = await startNpmRegistry()
  // The login of the operator's own registry.
  const upstream = registry.url.replace('//', '//user:secret@')
  registry.control.meddle = undefined
  proxy = await openProxyGatehouse({ upstreams: { npm: upstream }, egressAllow: '127.0.0.1,::1' }, gatehouse)
})

afterEach(() => {
  registry.control.meddle = undefined
})

after(async () => {
  await proxy.close()
  await registry.close()
  await elsewhere.close()
  await gatehouse.close()
})

/** A package that nobody has asked for yet. */
function publish(): string {
  const name = `package-${packages++}`
  registry.publish({ name, version: '1.0.0' })
  return name
}

const tarballOf = (name: string) => `npm/${name}/-/${name}-1.0.0.tgz`

const broken: [what: string, body: string][] = [
  ['another package', '{"name":"another","versions":{}}'],
  ['versions that are none', '{"versions":{"1.0.0":null}}'],
]

for (const [what, body] of broken) {
  test(`metadata that is ${what}: 502, and right again with the next right answer`, async () => {
    const name = publish()
    registry.control.meddle = () => ({ body })
    assert.equal((await proxy.get(`npm/${name}`)).status, 502)
    registry.control.meddle = undefined
    assert.equal((await proxy.get(`npm/${name}`)).status, 200)
  })
}

test('a tarball at another host: only where it is let through, and never with credentials', async () => {
  const name = publish()
  const path = `/${name}/-/${name}-1.0.0.tgz`
  elsewhere.tarballs.set(path, registry.tarballs.get(path)!)
  const { dist } = registry.packages.get(name)!.versions.get('1.0.0')!
  const other = new URL(elsewhere.url)
  dist.tarball = `http://localhost:${other.port}${path}`
  const refused = await proxy.get(tarballOf(name))
  assert.equal(refused.status, 502)
  assert.match((await refused.json()).error, /localhost.*not one of its own hosts/)
  assert.ok(!elsewhere.seen.some((request) => request.path === path))

  const entry = { config: { name: 'Files', url: 'localhost', registryType: 'REGISTRY_TYPE_MALWARE_FIREWALL' } }
  const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
  assert.equal((await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert: entry } })).status, 200)
  proxy.expire()
  const answer = await proxy.get(tarballOf(name))
  assert.equal(answer.status, 200)
  const seen = elsewhere.seen.filter((request) => request.path === path)
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    [undefined],
  )
})

test('one fetch serves all who ask at once', async () => {
  const name = publish()
  const asked = () => registry.seen.filter(({ path }) => path.includes(name)).length
  const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.get(tarballOf(name))))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(asked(), 2)
})
