import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openProxyGatehouse, type ProxyGatehouse } from '../../test/proxy-gatehouse.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../sandbox/maven-registry.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../sandbox/npm-registry.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../sandbox/pypi-registry.ts'

let registries: [NpmRegistrySandbox, PypiRegistrySandbox, MavenRegistrySandbox]
let proxy: ProxyGatehouse

before(async () => {
  const [npm, pypi, maven] = await Promise.all([startNpmRegistry(), startPypiRegistry(), startMavenRegistry()])
  registries = [npm, pypi, maven]
  npm.publish({ name: 'left', version: '1.0.0' })
  pypi.publish({ name: 'left', version: '1.0.0' })
  maven.publish({ group: 'com.acme', artifact: 'left', version: '1.0.0' })
  proxy = await openProxyGatehouse({
    upstreams: { npm: npm.url, pypi: pypi.indexUrl, maven: maven.url },
    egressAllow: '127.0.0.1',
  })
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.control.record = undefined
})

after(async () => {
  await proxy.close()
  for (const registry of registries) await registry.close()
})

const artifacts = [
  ['npm left', 'npm/left/-/left-1.0.0.tgz'],
  ['pypi left', 'pypi/simple/left/left-1.0.0-py3-none-any.whl'],
  ['maven com.acme:left', 'maven/com/acme/left/1.0.0/left-1.0.0.jar'],
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
