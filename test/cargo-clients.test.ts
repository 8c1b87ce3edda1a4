import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type CargoRegistrySandbox, startCargoRegistry } from '../src/sandbox/registries/cargo-registry.ts'
import { cargoProject, isInstalled, runCargo } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let gatehouse: TestGatehouse
let registry: CargoRegistrySandbox
let proxy: ProxyGatehouse
let token: string

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startCargoRegistry()
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) registry.publish({ name: 'left', version })
  registry.publish({ name: 'right', version: '2.0.0', dependencies: { left: '^1.0.0' } })
  proxy = await openProxyGatehouse({ upstreams: { cargo: registry.url } }, gatehouse)
  token = await gatehouse.makeToken(gatehouse.owner.token, 1, { scopes: ['packages:read'] })
})

after(async () => {
  await proxy.close()
  await registry.close()
  await gatehouse.close()
})

const missing = !isInstalled('cargo') && 'cargo is not installed here'

function project(t: TestContext, dependencies: Record<string, string>): string {
  const folder = cargoProject(proxy.url, dependencies)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const cargo = (folder: string, args: string[]) => runCargo(folder, args, token)

function fetched(folder: string): string[] {
  return globSync('.home/cargo/registry/cache/*/*.crate', { cwd: folder })
    .map((path) => basename(path))
    .sort()
}

test('Cargo takes the lines as printed; its lockfile names crates.io', { skip: missing }, async (t) => {
  const folder = project(t, { right: '2' })
  const ran = await cargo(folder, ['fetch'])
  assert.equal(ran.code, 0, ran.output)
  assert.deepEqual(fetched(folder), ['left-1.2.0.crate', 'right-2.0.0.crate'])
  const lockfile = readFileSync(join(folder, 'Cargo.lock'), 'utf8')
  assert.match(lockfile, /source = "registry\+https:\/\/github\.com\/rust-lang\/crates\.io-index"/)
  assert.ok(!lockfile.includes(new URL(proxy.url).host))
  const built = await cargo(folder, ['build', '--offline'])
  assert.equal(built.code, 0, built.output)
})

test('Cargo: a range resolves to the safe version; a pin and a lockfile fail', { skip: missing }, async (t) => {
  const locked = project(t, { left: '1' })
  assert.equal((await cargo(locked, ['generate-lockfile'])).code, 0)
  assert.match(readFileSync(join(locked, 'Cargo.lock'), 'utf8'), /version = "1\.2\.0"/)

  proxy.blocked.set('cargo left@1.2.0', 'MAL-2026-11')
  t.after(() => proxy.blocked.clear())
  proxy.expire()
  const ranged = project(t, { left: '1', right: '2' })
  const resolved = await cargo(ranged, ['fetch'])
  assert.equal(resolved.code, 0, resolved.output)
  assert.deepEqual(fetched(ranged), ['left-1.1.0.crate', 'right-2.0.0.crate'])

  const pinned = project(t, { left: '=1.2.0' })
  const refused = await cargo(pinned, ['fetch'])
  assert.notEqual(refused.code, 0)
  assert.match(refused.output, /version 1\.2\.0 is yanked/)

  const frozen = await cargo(locked, ['fetch', '--locked'])
  assert.notEqual(frozen.code, 0)
  assert.match(frozen.output, /Gatehouse refuses left@1\.2\.0:\s+Known to be malicious:\s+MAL-2026-11/)
  assert.deepEqual(fetched(locked), [])
})

test('Cargo: a crate that is malicious as a whole fails with our words', { skip: missing }, async (t) => {
  proxy.blocked.set('cargo left', 'MAL-2026-12')
  t.after(() => proxy.blocked.clear())
  const { code, output } = await cargo(project(t, { left: '1' }), ['fetch'])
  assert.notEqual(code, 0)
  assert.match(output, /Gatehouse refuses every version of left:\s+Known to be malicious:\s+MAL-2026-12/)
})

test('Cargo: a crate whose bytes are not those of the index does not arrive', { skip: missing }, async (t) => {
  registry.publish({ name: 'swapped', version: '1.0.0' })
  registry.crates.set('/crates/swapped/1.0.0/download', registry.crates.get('/crates/left/1.0.0/download')!)
  const folder = project(t, { swapped: '1' })
  const { code, output } = await cargo(folder, ['fetch'])
  assert.notEqual(code, 0)
  assert.match(output, /other bytes for swapped@1\.0\.0/)
  assert.deepEqual(fetched(folder), [])
})
