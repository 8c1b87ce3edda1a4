import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { npmClientUpstream } from '../src/proxy/upstream/clients/npm-client.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { nodeClients } from './clients/node-clients.ts'
import { makeProject, npmrc, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) registry.publish({ name: 'left', version })
  registry.publish({ name: '@team/right', version: '2.0.0', dependencies: { left: '^1.0.0' } })
  proxy = await openProxyGatehouse({ upstreams: { npm: registry.url } }, gatehouse)
})

after(async () => {
  await proxy.close()
  await registry.close()
  await gatehouse.close()
})

function project(dependencies: Record<string, string>, more?: Record<string, string>): string {
  const manifest = JSON.stringify({ name: 'project', version: '1.0.0', dependencies })
  return makeProject({ 'package.json': manifest, ...(more ?? { '.npmrc': npmrc(proxy.url, proxy.token) }) })
}

function installed(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}

for (const [name, find] of Object.entries(nodeClients)) {
  test(`${name}: a range resolves to the safe version, a pin and a lockfile fail, with our words where it prints any`, async (t) => {
    const client = await find()
    if (!client) return t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    proxy.blocked.clear()
    const files = client.files(proxy.url, proxy.token)
    const before = project({ left: '^1.0.0', '@team/right': '2.0.0' }, files)
    const first = await client.run(before, client.install)
    assert.equal(first.code, 0, first.output)
    assert.equal(installed(before, 'left'), '1.2.0')
    const lockfile = readFileSync(join(before, client.lockfile), 'utf8')

    proxy.blocked.set('npm left@1.2.0', 'MAL-2026-7')
    const ranged = project({ left: '^1.0.0', '@team/right': '2.0.0' }, files)
    const resolved = await client.run(ranged, client.install)
    assert.equal(resolved.code, 0, resolved.output)
    assert.equal(installed(ranged, 'left'), '1.1.0')

    const pinned = project({ left: '1.2.0' }, files)
    const refused = await client.run(pinned, client.install)
    assert.notEqual(refused.code, 0)
    assert.match(refused.output, client.saysOfPin)

    const locked = project({ left: '^1.0.0', '@team/right': '2.0.0' }, { ...files, [client.lockfile]: lockfile })
    const held = await client.run(locked, client.frozen)
    assert.notEqual(held.code, 0)
    assert.match(held.output, client.saysOfLock)
    assert.throws(() => installed(locked, 'left'), { code: 'ENOENT' })
    for (const folder of [before, ranged, pinned, locked]) rmSync(folder, { recursive: true, force: true })
  })
}

test('npm: a package of which no version may pass is refused in our words', async () => {
  registry.publish({ name: 'evil', version: '6.6.6' })
  proxy.blocked.set('npm evil', 'MAL-2026-8')
  const folder = project({ evil: '*' })
  const { code, output } = await runClient('npm', ['install'], { folder })
  assert.notEqual(code, 0)
  assert.match(output, /403.*Gatehouse refuses every version of evil: .*MAL-2026-8/)
  assert.ok(proxy.events.some((event) => event.name === 'evil' && event.version === '*' && event.refused))
  rmSync(folder, { recursive: true, force: true })
})

test('npm: ping, whoami and audit', async () => {
  const folder = project({ left: '1.1.0' })
  assert.equal((await runClient('npm', ['install'], { folder })).code, 0)
  assert.equal((await runClient('npm', ['ping'], { folder })).code, 0)
  const who = await runClient('npm', ['whoami'], { folder })
  assert.match(who.output, /\S+@\S+/)
  const audit = await runClient('npm', ['audit', '--audit=true'], { folder })
  assert.equal(audit.code, 0, audit.output)
  assert.match(audit.output, /found 0 vulnerabilities/)
  rmSync(folder, { recursive: true, force: true })
})

const skip = deepOnly('three installs from the real registry take a while')

test('a real tree is the same with and without us, and npm ci takes it', { skip }, async (t) => {
  const { url } = await npmClientUpstream()
  const isThere = await fetch(`${url}express`, { signal: AbortSignal.timeout(15_000) }).catch(() => undefined)
  await isThere?.body?.cancel()
  if (!isThere?.ok) return t.skip('the npm registry of this machine is out of reach')
  const real = await openProxyGatehouse({}, gatehouse)
  t.after(() => real.close())
  const manifest = JSON.stringify({
    name: 'project',
    version: '1.0.0',
    dependencies: { express: '^4.18.0', chalk: '^4.1.0', '@babel/code-frame': '^7.0.0', semver: '^7.0.0' },
  })
  const direct = makeProject({ 'package.json': manifest, '.npmrc': `registry=${url}\naudit=false\n` })
  const proxied = makeProject({
    'package.json': manifest,
    '.npmrc': npmrc(real.url, real.token),
  })
  for (const folder of [direct, proxied]) {
    const { code, output } = await runClient('npm', ['install', '--ignore-scripts'], { folder })
    assert.equal(code, 0, output)
  }
  const tree = lockedTree(proxied)
  assert.ok(tree.length > 50, `${tree.length} packages`)
  assert.deepEqual(tree, lockedTree(direct))
  const again = makeProject({
    'package.json': manifest,
    '.npmrc': readFileSync(join(proxied, '.npmrc'), 'utf8'),
    'package-lock.json': readFileSync(join(direct, 'package-lock.json'), 'utf8'),
  })
  const ci = await runClient('npm', ['ci', '--ignore-scripts'], { folder: again })
  assert.equal(ci.code, 0, ci.output)
  const asked = real.events.filter((event) => !event.refused).length
  assert.ok(asked >= 2 * tree.length, `${asked} artifacts were asked for`)
  for (const folder of [direct, proxied, again]) rmSync(folder, { recursive: true, force: true })
})

type Locked = { packages: Record<string, { version?: string; integrity?: string }> }

function lockedTree(folder: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Locked
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, integrity }]) => `${path} ${version} ${integrity}`)
    .sort()
}
