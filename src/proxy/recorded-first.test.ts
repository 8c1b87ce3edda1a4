import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openProxyGatehouse, type ProxyGatehouse } from '../../test/servers/proxy-gatehouse.ts'
import { startCargoRegistry } from '../sandbox/registries/cargo-registry.ts'
import { startGoProxy } from '../sandbox/registries/go-proxy.ts'
import { startMavenRegistry } from '../sandbox/registries/maven-registry.ts'
import { startNpmRegistry } from '../sandbox/registries/npm-registry.ts'
import { startPypiRegistry } from '../sandbox/registries/pypi-registry.ts'

let registries: { close(): Promise<void> }[]
let proxy: ProxyGatehouse

before(async () => {
  const [npm, pypi, maven] = await Promise.all([startNpmRegistry(), startPypiRegistry(), startMavenRegistry()])
  const [cargo, go] = await Promise.all([startCargoRegistry(), startGoProxy()])
  registries = [npm, pypi, maven, cargo, go]
  cargo.publish({ name: 'left', version: '1.0.0' })
  cargo.publish({ name: 'Inflector', version: '1.0.0' })
  go.publish({ module: 'acme.example/left', version: 'v1.0.0' })
  npm.publish({ name: 'left', version: '1.0.0' })
  pypi.publish({ name: 'left', version: '1.0.0' })
  maven.publish({ group: 'com.acme', artifact: 'left', version: '1.0.0' })
  proxy = await openProxyGatehouse({
    upstreams: { npm: npm.url, pypi: pypi.indexUrl, maven: maven.url, cargo: cargo.url, gomod: go.url },
    egressAllow: '127.0.0.1',
  })
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.control.record = undefined
  proxy.control.prepare = undefined
  proxy.control.verdict = undefined
})

after(async () => {
  await proxy.close()
  for (const registry of registries) await registry.close()
})

const artifacts = [
  ['npm left', 'npm/left/-/left-1.0.0.tgz'],
  ['pypi left', 'pypi/simple/left/left-1.0.0-py3-none-any.whl'],
  ['maven com.acme:left', 'maven/com/acme/left/1.0.0/left-1.0.0.jar'],
  ['cargo left', 'cargo/api/v1/crates/left/1.0.0/download'],
  ['gomod acme.example/left', 'go/acme.example/left/@v/v1.0.0.zip'],
] as const

for (const [name, path] of artifacts) {
  for (const status of [200, 403]) {
    test(`${name}: answered with ${status} once that is recorded, not before`, async () => {
      if (status === 403) proxy.blocked.set(name, 'MAL-1')
      const order: string[] = []
      // As long as another whole answer takes.
      proxy.control.record = async () => {
        await (await proxy.get('npm/-/ping')).text()
        order.push('recorded')
      }
      const answer = await proxy.get(path)
      order.push('answered')
      await answer.arrayBuffer()
      assert.equal(answer.status, status)
      assert.deepEqual(order, ['recorded', 'answered'])
    })
  }

  test(`${name}: what may pass does so where it cannot be recorded, and nobody is told of a refusal that is not`, async () => {
    proxy.control.record = () => Promise.reject(new Error('nowhere to write'))
    assert.equal((await proxy.get(path)).status, 200)
    proxy.blocked.set(name, 'MAL-1')
    assert.equal((await proxy.get(path)).status, 500)
  })
}

const judgedPaths = [
  ...artifacts.map(([, path]) => path),
  'cargo/api/v1/crates/inflector/1.0.0/download',
  'go/acme.example/left/@v/v1.0.0.info',
  'go/acme.example/left/@v/v1.0.0.mod',
  'go/acme.example/left/@latest',
  'go/acme.example/left/@v/list',
]

for (const path of judgedPaths) {
  test(`${path}: nothing is judged before what its verdict needs is there`, async () => {
    const prepared = new Set<string>()
    const tooEarly: string[] = []
    proxy.control.prepare = async (name) => {
      await (await proxy.get('npm/-/ping')).text()
      prepared.add(name)
    }
    proxy.control.verdict = (name) => {
      if (!prepared.has(name)) tooEarly.push(name)
      return {}
    }
    assert.equal((await proxy.get(path)).status, 200)
    assert.ok(prepared.size > 0)
    assert.deepEqual(tooEarly, [])
  })
}
