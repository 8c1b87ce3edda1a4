import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { makeProject, npmrc, runClient } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  for (const version of ['1.0.0', '1.1.0']) registry.publish({ name: 'left', version })
  registry.publish({ name: 'right', version: '2.0.0' })
  proxy = await openProxyGatehouse({ upstreams: { npm: registry.url } }, gatehouse)
  proxy.control.verdict = (name, version) =>
    name === 'left' && version === '1.1.0' ? { warnings: ['Its maintainers withdrew it: use “other”.', 'Ask us.'] } : {}
})

after(async () => {
  await proxy.close()
  await registry.close()
  await gatehouse.close()
})

test('npm says in the terminal what a rule warns about, of the version that is installed and no other', async () => {
  const install = async (version: string) => {
    const manifest = JSON.stringify({ name: 'project', version: '1.0.0', dependencies: { left: version, right: '2' } })
    const folder = makeProject({ 'package.json': manifest, '.npmrc': npmrc(proxy.url, proxy.token) })
    const { code, output } = await runClient('npm', ['install'], { folder })
    rmSync(folder, { recursive: true, force: true })
    assert.equal(code, 0, output)
    return output
  }
  const warned = await install('1.1.0')
  assert.match(warned, /Gatehouse warns about left@1\.1\.0: Its maintainers withdrew it: use \?other\?\. Ask us\./)
  assert.doesNotMatch(warned, /right@/)
  assert.doesNotMatch(await install('1.0.0'), /Gatehouse warns/)
})
