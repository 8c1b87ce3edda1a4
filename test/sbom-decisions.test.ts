import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { findingsPath } from '../src/capabilities/findings/test-findings.ts'
import { packageLock } from '../src/capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { findingsOf } from '../src/capabilities/vulnerabilities/test-vulnerabilities.ts'
import { runCommand } from './clients/command-line.ts'
import { isDeep } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

/**
 * Bills of materials: a decision stays with its dependency, and a pull request shows what it brings in. `npm run test:deep` has cdxgen
 * write them, which takes a minute.
 */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-cdxgen-')))
const app = join(folder, 'app')
const run = promisify(execFile)
let gatehouse: TestGatehouse
let installed = true

/** What cdxgen writes of an npm application, as far as we read it. */
function writeBill(dependencies: Record<string, string>): void {
  const components = Object.entries(dependencies).map(([name, version]) => {
    const purl = `pkg:npm/${name}@${version}`
    return { type: 'library', name, version, purl, 'bom-ref': purl, scope: 'required' }
  })
  const application = { type: 'application', name: 'web', version: '1.0.0', 'bom-ref': 'pkg:npm/web@1.0.0' }
  const graph = [{ ref: application['bom-ref'], dependsOn: components.map(({ purl }) => purl) }]
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: application } }
  writeFileSync(join(app, 'bom.json'), JSON.stringify({ ...bill, components, dependencies: graph }))
}

async function installCdxgen(): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--omit=optional']
  await run('npm', ['install', ...flags, '@cyclonedx/cdxgen@12.8.4'], { cwd: folder, timeout: 240_000 }).catch(() => {
    installed = false
  })
}

async function runCdxgen(dependencies: Record<string, string>): Promise<void> {
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'web', version: '1.0.0', dependencies }))
  writeFileSync(join(app, 'package-lock.json'), packageLock(dependencies))
  const cdxgen = join(folder, 'node_modules/@cyclonedx/cdxgen/bin/cdxgen.js')
  await run(process.execPath, [cdxgen, '-t', 'js', '--no-install-deps', '-o', 'bom.json', '.'], { cwd: app })
}

before(async () => {
  if (isDeep) await installCdxgen()
  mkdirSync(app)
  gatehouse = await openGatehouse()
  const feed = advisoryFolder()
  feed.put(
    { id: 'GHSA-35jh-r3h4-6jhm', affected: [{ name: 'lodash', ranges: [semver('0', '4.17.21')] }] },
    { id: 'GHSA-xvch-5gv4-984h', affected: [{ name: 'minimist', ranges: [semver('0', '1.2.6')] }] },
  )
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  feed.remove()
})
after(async () => {
  await gatehouse.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Uploads the bill of an application with these dependencies. */
async function send(dependencies: Record<string, string>, change: string[] = ['--ref', 'main']) {
  await (isDeep ? runCdxgen : writeBill)(dependencies)
  const env = { GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: gatehouse.owner.token }
  const command = ['upload', 'bom.json', '--repository', 'bills/web', '--json', ...change]
  const ran = await runCommand(command, { cwd: app, env })
  assert.equal(ran.code, 0, ran.stderr)
  assert.equal(JSON.parse(ran.stdout).files[0].dependencies, Object.keys(dependencies).length)
}

async function found(more: object = {}): Promise<string[]> {
  const all = await findingsOf(gatehouse, 'bills/web', more)
  return all.map(({ ruleId, triageState }) => `${ruleId} ${triageState.slice(13)}`).sort()
}

test(`${isDeep ? 'cdxgen' : 'a bill of materials'}: what was decided stays, and a pull request shows what it brings in`, async (t) => {
  if (!installed) return t.skip('cdxgen cannot be installed: the npm registry is out of reach')
  const main = { lodash: '4.17.20', 'left-pad': '1.3.0' }
  await send(main)
  assert.deepEqual(await found(), ['GHSA-35jh-r3h4-6jhm OPEN'])
  const [first] = await findingsOf(gatehouse, 'bills/web')
  const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_NO_TIME' }
  const decided = await gatehouse.call('POST', `${findingsPath()}/${first.id}`, { body })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))

  const pullRequest = (id: number) => ['--ref', 'change', '--pull-request', String(id), '--base-ref', 'main']
  await send(main, pullRequest(1))
  assert.deepEqual(await found({ pullRequest: 1 }), [], 'only the readme was changed')
  await send({ ...main, lodash: '4.17.19' }, pullRequest(2))
  assert.deepEqual(await found({ pullRequest: 2 }), [], 'the base has the same vulnerability')
  await send({ ...main, minimist: '1.2.5' }, pullRequest(3))
  assert.deepEqual(await found({ pullRequest: 3 }), ['GHSA-xvch-5gv4-984h OPEN'])

  await send({ ...main, minimist: '1.2.5' })
  const branch = { pullRequests: 'none' }
  assert.deepEqual(await found(branch), ['GHSA-35jh-r3h4-6jhm IGNORED', 'GHSA-xvch-5gv4-984h OPEN'])
  await send({ 'left-pad': '1.3.0', minimist: '1.2.6' })
  assert.deepEqual(await found(branch), ['GHSA-35jh-r3h4-6jhm IGNORED', 'GHSA-xvch-5gv4-984h FIXED'])
})
