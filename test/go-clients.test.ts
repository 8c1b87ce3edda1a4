import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { withoutOpenssl } from '../src/outbound/test-certificate.ts'
import { type GoProxySandbox, startGoProxy } from '../src/sandbox/registries/go-proxy.ts'
import { goProject, isInstalled, runGo } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { startTlsFront } from './outside/tls-front.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

const sumdb = 'sums.example.com'
const missing = isInstalled('go') ? withoutOpenssl : 'go is not installed here'
let gatehouse: TestGatehouse
let upstream: GoProxySandbox
let proxy: ProxyGatehouse
let front: Awaited<ReturnType<typeof startTlsFront>> | undefined
let token: string

before(async () => {
  gatehouse = await openGatehouse()
  upstream = await startGoProxy()
  for (const version of ['v1.0.0', 'v1.1.0', 'v1.2.0']) upstream.publish({ module: 'acme.example/left', version })
  const requires = { 'acme.example/left': 'v1.0.0' }
  upstream.publish({ module: 'acme.example/Upper', version: 'v1.0.0-RC1' })
  upstream.publish({ module: 'acme.example/right', version: 'v1.0.0', requires })
  proxy = await openProxyGatehouse({ upstreams: { gomod: upstream.url }, goSumdb: sumdb }, gatehouse)
  if (!missing) front = await startTlsFront(proxy.url)
  token = await gatehouse.makeToken(gatehouse.owner.token, 1, { scopes: ['packages:read'] })
})

after(async () => {
  await front?.close()
  await proxy.close()
  await upstream.close()
  await gatehouse.close()
})

const server = () => ({ ...front!, token })

function project(t: TestContext, imports: string[] = ['acme.example/left']): string {
  const folder = goProject(server(), imports)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const go = (folder: string, args: string[], more: Record<string, string> = {}) =>
  runGo(folder, args, server(), { GOSUMDB: upstream.verifier(sumdb), ...more })

const textIn = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')

test('Go takes the lines as printed, and compares go.sum with the database', { skip: missing }, async (t) => {
  const folder = project(t, ['acme.example/right', 'acme.example/Upper'])
  const got = await go(folder, ['get', 'acme.example/right@latest', 'acme.example/Upper@latest'])
  assert.equal(got.code, 0, got.output)
  assert.ok(!got.output.includes(token))
  assert.match(textIn(folder, 'go.sum'), /^acme\.example\/left v1\.0\.0 h1:/m)
  const built = await go(folder, ['build', '-o', 'out', '.'])
  assert.equal(built.code, 0, built.output)
  assert.ok(existsSync(join(folder, 'out')))
  assert.ok(upstream.seen.some(({ path }) => path.startsWith(`/sumdb/${sumdb}/lookup/acme.example/left@v1.0.0`)))
  assert.ok(upstream.seen.some(({ path }) => path.startsWith(`/sumdb/${sumdb}/tile/`)))
})

test('Go: latest is the newest safe version; a pin and a go.mod end with our words', { skip: missing }, async (t) => {
  const locked = project(t)
  const before = await go(locked, ['get', 'acme.example/left@v1.2.0'])
  assert.equal(before.code, 0, before.output)
  rmSync(join(locked, '.home'), { recursive: true, force: true })

  proxy.blocked.set('gomod acme.example/left@v1.2.0', 'MAL-2026-11')
  t.after(() => proxy.blocked.clear())
  proxy.expire()
  const ranged = project(t)
  const resolved = await go(ranged, ['get', 'acme.example/left'])
  assert.equal(resolved.code, 0, resolved.output)
  assert.match(textIn(ranged, 'go.mod'), /acme\.example\/left v1\.1\.0/)

  const refusal =
    /403 Forbidden[\s\S]*Gatehouse refuses acme\.example\/left@v1\.2\.0:\s+Known to be malicious:\s+MAL-2026-11/
  for (const [folder, args] of [
    [project(t), ['get', 'acme.example/left@v1.2.0']],
    [locked, ['build', '.']],
    [locked, ['mod', 'download']],
  ] as const) {
    const refused = await go(folder, [...args])
    assert.notEqual(refused.code, 0)
    assert.match(refused.output, refusal)
    assert.ok(!refused.output.includes(token))
  }
})

test('Go: a build that uses a newer version gets past a refused older one', { skip: missing }, async (t) => {
  proxy.blocked.set('gomod acme.example/left@v1.0.0', 'MAL-2026-12')
  t.after(() => proxy.blocked.clear())
  const folder = project(t, ['acme.example/right', 'acme.example/left'])
  const { code, output } = await go(folder, ['get', 'acme.example/right@v1.0.0', 'acme.example/left@v1.2.0'])
  assert.equal(code, 0, output)
})

test('Go: bytes that are not those of the database do not arrive', { skip: missing }, async (t) => {
  upstream.publish({ module: 'acme.example/swapped', version: 'v1.0.0' })
  upstream.files.set('/acme.example/swapped/@v/v1.0.0.zip', upstream.files.get('/acme.example/left/@v/v1.0.0.zip')!)
  const { code, output } = await go(project(t, ['acme.example/swapped']), ['get', 'acme.example/swapped@v1.0.0'])
  assert.notEqual(code, 0)
  assert.match(output, /other bytes for acme\.example\/swapped/)
})

test('Go: a database that is not the real one is noticed by the client', { skip: missing }, async (t) => {
  const forged = await startGoProxy()
  t.after(() => forged.close())
  const { code, output } = await go(project(t), ['get', 'acme.example/left@v1.0.0'], {
    GOSUMDB: forged.verifier(sumdb),
  })
  assert.notEqual(code, 0)
  assert.match(output, /verifying/)
})
