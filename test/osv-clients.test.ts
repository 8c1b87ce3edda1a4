import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { packageLock } from '../src/capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { withoutOpenssl } from '../src/outbound/test-certificate.ts'
import { clientFromGo, clientFromNpm, clientFromPypi, makeProject, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { startTlsFront } from './outside/tls-front.ts'

/** Clients of OSV, unmodified, with nothing changed but the address that they ask. */
let gatehouse: TestGatehouse
const advisories = advisoryFolder()

before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_OPEN_OSV: 'true' } })
  advisories.put(
    {
      id: 'GHSA-left-left-left',
      aliases: ['CVE-2026-0001'],
      summary: 'Left turns right',
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      affected: [{ name: 'left-turn-test', ranges: [semver('0', '1.1.0')] }],
    },
    {
      id: 'PYSEC-2026-1',
      aliases: ['CVE-2026-0002'],
      summary: 'Snakes bite',
      affected: [
        {
          name: 'snake-test',
          ecosystem: 'PyPI',
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.0' }] }],
          versions: ['1.0'],
        },
      ],
    },
  )
  await gatehouse.vulnerabilities.feeds.sync(advisories.place)
})
after(async () => {
  await gatehouse.close()
  advisories.remove()
})

test('cve-lite-cli finds it, with the version that mends it', { skip: withoutOpenssl ?? false }, async (t) => {
  // It can keep a database of its own, which would be compiled for minutes, and which it does not open here.
  const flags = ['--ignore-scripts']
  const found = await clientFromNpm('cve-lite-cli', '1.37.0', 'package.json', flags)
  if (!found) return t.skip('cve-lite-cli cannot be installed: the npm registry is out of reach')
  const program = join(dirname(dirname(found)), '.bin', 'cve-lite')
  const folder = makeProject({
    'package.json': JSON.stringify({ name: 'p', version: '1.0.0', dependencies: { 'left-turn-test': '1.0.0' } }),
    'package-lock.json': packageLock({ 'left-turn-test': '1.0.0' }),
  })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  // It asks by https alone.
  const front = await startTlsFront(gatehouse.url)
  t.after(() => front.close())
  const authority = join(folder, 'ca.pem')
  writeFileSync(authority, front.cert)
  const args = ['.', '--osv-url', `${front.url}/osv`, '--allow-private-osv-url', '--ca-cert', authority, '--verbose']
  const { output } = await runClient(program, args, { folder, env: { NODE_EXTRA_CA_CERTS: authority } })
  assert.match(output, /CVE-2026-0001|GHSA-left-left-left/)
  assert.match(output, /1\.1\.0/)
})

const skipPip = deepOnly('installing pip-audit takes a minute')

test('pip-audit finds it', { skip: skipPip }, async (t) => {
  const found = await clientFromPypi('pip-audit', '2.10.1')
  if (!found) return t.skip('pip-audit cannot be installed: PyPI is out of reach')
  const folder = makeProject({ 'requirements.txt': 'snake-test==1.0\n' })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const args = [
    '-m',
    'pip_audit',
    '-s',
    'osv',
    '--osv-url',
    `${gatehouse.url}/osv/v1/query`,
    '-r',
    'requirements.txt',
    '--no-deps',
    '--disable-pip',
    '-f',
    'json',
  ]
  const { code, output } = await runClient('python3', args, { folder, env: { PYTHONPATH: found } })
  assert.equal(code, 1, output)
  assert.match(output, /PYSEC-2026-1/)
  assert.match(output, /"fix_versions": \["2\.0"\]/)
})

const skip = deepOnly('building OSV-Scanner takes minutes')

test('OSV-Scanner reads our archive without a way out', { skip }, async (t) => {
  const program = await clientFromGo('github.com/google/osv-scanner/v2/cmd/osv-scanner', 'v2.5.0')
  if (!program)
    return t.skip(
      'osv-scanner cannot be built: Go is not installed, its module proxy is out of reach, or it took too long',
    )
  const folder = makeProject({ 'package-lock.json': packageLock({ 'left-turn-test': '1.0.0' }) })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const archive = Buffer.from(await (await fetch(`${gatehouse.url}/osv/npm/all.zip`)).arrayBuffer())
  mkdirSync(join(folder, 'db', 'osv-scalibr', 'npm'), { recursive: true })
  writeFileSync(join(folder, 'db', 'osv-scalibr', 'npm', 'all.zip'), archive)
  const args = ['scan', 'source', '--offline', '--lockfile', 'package-lock.json', '--format', 'json']
  const env = { OSV_SCALIBR_LOCAL_DB_CACHE_DIRECTORY: join(folder, 'db') }
  const { code, output } = await runClient(program, args, { folder, env })
  assert.equal(code, 1, output)
  assert.match(output, /GHSA-left-left-left/)
})
