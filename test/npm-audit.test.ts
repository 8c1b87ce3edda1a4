import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { advisoryFolder, semver } from '../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { nodeClients } from './clients/node-clients.ts'
import { clientFromNpm, makeProject, npmrc, type Ran, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

/** Audits of package managers are answered from our own advisories, and signatures can be checked through the firewall. */
let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) registry.publish({ name: 'left', version })
  registry.publish({ name: '@team/right', version: '2.0.0', dependencies: { left: '1.0.0' } })
  registry.publish({ name: 'bent', version: '1.0.0' })
  // Signed, but as another package.
  const signed = (name: string) => registry.packages.get(name)!.versions.get('1.0.0')!.dist
  signed('bent').signatures = signed('left').signatures
  proxy = await openProxyGatehouse({ upstreams: { npm: registry.url } }, gatehouse)
  const feed = advisoryFolder()
  feed.put({
    id: 'GHSA-left-left-left',
    aliases: ['CVE-2026-0001'],
    summary: 'Left turns right',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    database_specific: { cwe_ids: ['CWE-79'] },
    affected: [{ name: 'left', ranges: [semver('0', '1.1.0')] }],
  })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  feed.remove()
})
after(async () => {
  await proxy.close()
  await registry.close()
  await gatehouse.close()
})

const post = async (path: string, body: object) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await proxy.get(`npm/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 200)
  return answer.json()
}
const bulk = '-/npm/v1/security/advisories/bulk'

function project(files: Record<string, string>, dependencies: Record<string, string>): string {
  return makeProject({ 'package.json': JSON.stringify({ name: 'p', version: '1.0.0', dependencies }), ...files })
}

test('the answer names the advisory, its range and its severity, and nobody outside is asked', async () => {
  const asked = registry.seen.length
  const said = await post(bulk, { left: ['1.0.0', '1.2.0'], other: ['1.0.0'], __proto__: ['1'] })
  assert.deepEqual(Object.keys(said), ['left'])
  const [{ id, ...advisory }] = said.left
  assert.ok(Number.isSafeInteger(id))
  assert.deepEqual(advisory, {
    url: 'https://github.com/advisories/GHSA-left-left-left',
    title: 'Left turns right',
    severity: 'critical',
    vulnerable_versions: '<1.1.0',
    cwe: ['CWE-79'],
    cvss: { score: 9.8, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
  })
  assert.deepEqual(await post(bulk, { left: ['1.1.0'] }), {})
  assert.equal(registry.seen.length, asked)
})

test('the older form has every place of a tree', async () => {
  const tree = {
    left: { version: '1.0.0' },
    '@team/right': { version: '2.0.0', dependencies: { left: { version: '1.0.0' } } },
  }
  const said = await post('-/npm/v1/security/audits/quick', { requires: {}, dependencies: tree })
  const [advisory] = Object.values<{ findings: object[]; cves: string[]; patched_versions: string }>(said.advisories)
  assert.deepEqual(advisory?.findings, [{ version: '1.0.0', paths: ['left', '@team/right>left'] }])
  assert.deepEqual([advisory?.cves, advisory?.patched_versions], [['CVE-2026-0001'], '>=1.1.0'])
  assert.deepEqual(said.metadata.vulnerabilities, { info: 0, low: 0, moderate: 0, high: 0, critical: 2 })
  assert.equal(said.metadata.totalDependencies, 2)
})

test('a package that turned out to be malicious is critical', async () => {
  proxy.blocked.set('npm left@1.2.0', 'MAL-2026-7')
  const said = await post(bulk, { left: ['1.2.0'] })
  proxy.blocked.clear()
  const [{ id, ...advisory }] = said.left
  assert.ok(id > 0)
  assert.deepEqual(
    [advisory.title, advisory.severity, advisory.vulnerable_versions],
    ['Malware in left', 'critical', '1.2.0'],
  )
})

for (const [body, status] of [
  ['{"left":', 400],
  ['[]', 200],
  ['null', 200],
  ['{"left":{"a":1}}', 200],
  [`{"dependencies":${'{"a":{"dependencies":'.repeat(150)}{}${'}}'.repeat(150)}}`, 400],
] as const) {
  test(`what is no audit is answered with ${status}: ${body.slice(0, 30)}`, async () => {
    const headers = { 'content-type': 'application/json' }
    assert.equal((await proxy.get(`npm/${bulk}`, { method: 'POST', headers, body })).status, status)
  })
}

/** What each prints of a vulnerable package; `audit` fails then. */
const audits: Record<string, string[]> = {
  npm: ['audit', '--audit=true'],
  'yarn 4': ['npm', 'audit', '--recursive'],
  'pnpm 10': ['audit'],
  'pnpm 12': ['audit'],
  bun: ['audit'],
}

for (const [name, command] of Object.entries(audits)) {
  test(`${name}: its audit says what we know`, async (t) => {
    const client = await nodeClients[name as keyof typeof nodeClients]?.()
    if (!client) return t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    const folder = project(client.files(proxy.url, proxy.token), { '@team/right': '2.0.0' })
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const made = await client.run(folder, client.install)
    assert.equal(made.code, 0, made.output)
    const asked = registry.seen.length
    const { code, output } = await client.run(folder, command)
    assert.notEqual(code, 0, output)
    assert.match(output, /Left turns right|GHSA-left-left-left/)
    assert.match(output, /critical/i)
    assert.deepEqual(
      registry.seen.slice(asked).filter(({ method }) => method === 'POST'),
      [],
    )
  })
}

const skip = deepOnly('they say what npm audit says')

for (const [name, version, program, args, says] of [
  ['audit-ci', '7.1.0', 'dist/bin.js', ['--critical', '--package-manager', 'npm'], /GHSA-left-left-left/],
  ['better-npm-audit', '3.11.0', 'index.js', ['audit', '--level', 'high'], /Left turns right|GHSA-left-left-left/],
] as const) {
  test(`${name} reads it through npm`, { skip }, async (t) => {
    const script = await clientFromNpm(name, version, program)
    if (!script) return t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    const folder = project({ '.npmrc': npmrc(proxy.url, proxy.token) }, { '@team/right': '2.0.0' })
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    assert.equal((await runClient('npm', ['install'], { folder })).code, 0)
    const { code, output } = await runClient(process.execPath, [script, ...args], {
      folder,
      env: { npm_config_audit: 'true' },
    })
    assert.notEqual(code, 0, output)
    assert.match(output, says)
  })
}

async function checkSignatures(
  run: (args: string[], folder: string) => Promise<Ran>,
  dependencies: Record<string, string> = { '@team/right': '2.0.0' },
): Promise<Ran> {
  const folder = project({ '.npmrc': npmrc(proxy.url, proxy.token) }, dependencies)
  const made = await run(['install'], folder)
  assert.equal(made.code, 0, made.output)
  const checked = await run(['audit', 'signatures'], folder)
  rmSync(folder, { recursive: true, force: true })
  return checked
}

test('npm audit signatures: what the registry signed is verified, and what another one signed is not', async (t) => {
  const older = await clientFromNpm('npm', '8.19.4', 'bin/npm-cli.js')
  if (!older) return t.skip('npm 8 cannot be installed: the npm registry is out of reach')
  const run = (args: string[], folder: string) => runClient(process.execPath, [older, ...args], { folder })
  const verified = await checkSignatures(run)
  assert.equal(verified.code, 0, verified.output)
  assert.match(verified.output, /2 packages have verified registry signatures/)
  const wrong = await checkSignatures(run, { bent: '1.0.0' })
  assert.match(wrong.output, /invalid registry signature/)
})

test('npm audit signatures: the npm of this machine', async (t) => {
  const root = await fetch('https://tuf-repo-cdn.sigstore.dev/1.root.json').catch(() => undefined)
  if (!root?.ok) return t.skip('npm 9 and later fetch the root of sigstore first, which is out of reach')
  const verified = await checkSignatures((args, folder) => runClient('npm', args, { folder }))
  assert.match(verified.output, /2 packages have verified registry signatures/)
})

test('attestations are asked of the registry that has the package', async () => {
  assert.equal((await proxy.get('npm/-/npm/v1/attestations/left@1.0.0')).status, 404)
  assert.equal((await proxy.get('npm/-/npm/v1/attestations/@team%2fright@2.0.0')).status, 404)
  assert.equal(registry.seen.at(-1)!.path, '/-/npm/v1/attestations/@team%2fright@2.0.0')
  const asked = registry.seen.length
  assert.equal((await proxy.get('npm/-/npm/v1/attestations/..%2f..%2fsecret@1.0.0')).status, 404)
  assert.equal(registry.seen.length, asked)
})
