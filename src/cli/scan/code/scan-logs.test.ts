import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { runCommand } from '../../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { automationsOf } from '../../../../test/servers/automation-gatehouse.ts'
import { sarifLog } from '../../../capabilities/findings/test-log.ts'
import { packageLock } from '../../../capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../../../capabilities/vulnerabilities/feeds/test-advisories.ts'
import { namedLogs } from './scan-logs.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const log = (rule: string, path = 'src/a.js') => sarifLog({ tool: rule, results: [{ rule, path, line: 7 }] })

/** A checkout; what `kept` names is in git. */
function checkout(t: TestContext, files: Record<string, string>, kept: string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-logs-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  execFileSync('git', ['-C', folder, 'init', '-q', '-b', 'main'])
  if (kept.length > 0) execFileSync('git', ['-C', folder, 'add', '--', ...kept])
  return folder
}

async function scan(folder: string, args: string[], token = gatehouse.owner.token) {
  const env = { GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: token }
  return runCommand(['scan', '--ref', 'main', ...args], { cwd: folder, env })
}

test('scan sends lockfiles with the logs that are new, and with those that somebody points at', async (t) => {
  const files = {
    'package-lock.json': packageLock({ 'left-pad': '1.3.0' }),
    'results.sarif': log('found'),
    'reports/deep.sarif.json': log('deep'),
    'test/sample.sarif': log('sample'),
    'left/out.sarif': log('left-out'),
    '.gitignore': 'results.sarif\n',
    '.gatehouseignore': '/left/\n',
  }
  const folder = checkout(t, files, ['package-lock.json', 'test/sample.sarif'])
  const elsewhere = checkout(t, { 'out/results.sarif': log('elsewhere', `${folder}/src/b.js`) }, [])
  const sent = async (args: string[]) => {
    const { code, stdout, stderr } = await scan(folder, ['--repository', 'logs/one', '--json', ...args])
    assert.equal(code, 0, stdout + stderr)
    return JSON.parse(stdout)
  }
  const paths = (receipt: { files: { path: string }[] }) => receipt.files.map(({ path }) => path)
  const found = await sent([])
  assert.deepEqual(paths(found), ['package-lock.json', 'reports/deep.sarif.json', 'results.sarif'])
  assert.deepEqual([found.scan.isInventory, found.scan.dependencyCount, found.scan.findingCount], [true, 1, 2])
  assert.deepEqual(paths(await sent(['--no-sarif'])), ['package-lock.json'])
  const pointed = ['--sarif', join(elsewhere, 'out/results.sarif'), 'test/sample.sarif']
  const named = paths(await sent(pointed))
  assert.deepEqual(named, [
    'package-lock.json',
    'reports/deep.sarif.json',
    'results-2.sarif',
    'results.sarif',
    'test/sample.sarif',
  ])
  const body = { filter: { repositories: ['logs/one'], ruleIds: ['elsewhere'] } }
  const { findings } = (await gatehouse.call('POST', '/api/findings/1/findings/search', { body })).body
  assert.equal(findings[0]?.path, 'src/b.js')
  const missing = await scan(folder, ['--repository', 'logs/one', '--sarif', 'nothing.sarif'])
  assert.deepEqual([missing.code, missing.stderr], [2, "gatehouse: There is no file 'nothing.sarif'.\n"])
})

test('where git says nothing about a checkout, only logs that somebody points at are sent, and a sentence says so', async (t) => {
  const files = { 'package-lock.json': packageLock({ a: '1.0.0' }), 'test/sample.sarif': log('sample') }
  const folder = checkout(t, { ...files, 'results.sarif': log('found') }, ['test/sample.sarif'])
  writeFileSync(join(folder, '.git/config'), '[broken')
  const sent = async (...args: string[]) => {
    const { code, stdout, stderr } = await scan(folder, ['--repository', 'logs/silent', '--json', ...args])
    assert.equal(code, 0, stdout + stderr)
    return { stderr, paths: JSON.parse(stdout).files.map(({ path }: { path: string }) => path) }
  }
  const { stderr, paths } = await sent()
  assert.deepEqual(paths, ['package-lock.json'])
  assert.match(stderr, /results\.sarif, test\/sample\.sarif: not sent, .*\(git says: .*\)\. Name them with --sarif/)
  const named = await sent('--sarif', join(folder, 'results.sarif'))
  assert.deepEqual(named.paths, ['package-lock.json', 'results.sarif'])
  rmSync(join(folder, '.git'), { recursive: true })
  assert.deepEqual((await sent()).paths, ['package-lock.json', 'results.sarif', 'test/sample.sarif'], 'not a checkout')
})

test('logs of the same name from two folders are sent under two names', (t) => {
  const folder = checkout(t, { 'x/a.sarif': '{}', 'y/a.sarif': '{}' }, [])
  const top = checkout(t, {}, [])
  const logs = namedLogs([join(folder, 'x/a.sarif'), join(folder, 'y/a.sarif')], top, [])
  assert.deepEqual(
    logs.map(({ path }) => path),
    ['a.sarif', 'a-2.sarif'],
  )
})

test('a blocked run says what blocks, where, why and what to do, also to who may only upload', async (t) => {
  const feed = advisoryFolder()
  feed.put({
    id: 'GHSA-bad',
    aliases: ['CVE-2026-7'],
    summary: 'Runs what it is given',
    affected: [{ name: 'bad', ranges: [semver('0', '2.0.0')] }],
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  const critical = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_CRITICAL'] }
  await automationsOf(gatehouse).create({
    name: 'No critical packages',
    filters: { mode: 'MODE_ALL', conditions: [critical] },
    actions: [{ type: 'ACTION_TYPE_BLOCK' }],
  })
  const policies = '/api/policies/v1/deployments/1'
  const list = (await gatehouse.call('GET', policies)).body.policies
  const policy = list.find((one: { productType: string }) => one.productType === 'PRODUCT_TYPE_SAST')
  const body = { rules: [{ rule: 'sql', mode: 'block' }] }
  await gatehouse.call('PUT', `${policies}/policies/${policy.id}/rules`, { body })
  const repository = ['--repository', 'logs/blocked']
  const base = checkout(
    t,
    { 'package-lock.json': packageLock({ fine: '1.0.0' }), 'a.sarif': sarifLog({ tool: 'sql' }) },
    [],
  )
  assert.equal((await scan(base, repository)).code, 0)
  const change = checkout(t, { 'package-lock.json': packageLock({ bad: '1.0.0' }), 'a.sarif': log('sql') }, [])
  const upload = await gatehouse.makeToken(gatehouse.owner.token, 1, { scopes: ['scans:write'] })
  const pull = [...repository, '--ref', 'fix', '--pull-request', '4', '--base-ref', 'main']
  const ran = await scan(change, pull, upload)
  assert.equal(ran.code, 1, ran.stderr)
  const slug = (await gatehouse.call('GET', '/api/deployments/v1/deployments/1')).body.deployment.slug
  const page = `${gatehouse.url}/d/${slug}/findings/`
  const told = ran.stdout.slice(ran.stdout.indexOf('2 findings block this:')).replaceAll(/findings\/\d+/g, 'findings/N')
  assert.equal(
    told,
    `2 findings block this:

critical: Runs what it is given
  at package-lock.json:${/package-lock\.json:(\d+)/.exec(told)?.[1]}
  package bad 1.0.0 (npm)
  advisory CVE-2026-7, GHSA-bad
  fixed in 2.0.0
  because the automation 'No critical packages' blocks it
  ${page}N

high: eval(x) is not safe
  at src/a.js:7
  rule sql
  because the policy blocks the rule 'sql'
  ${page}N
`,
  )
  const again = await scan(change, [...pull, '--json'], upload)
  const { blockingFindings, blockingFindingCount } = JSON.parse(again.stdout)
  assert.equal(blockingFindingCount, 2)
  assert.deepEqual(
    blockingFindings.map((one: Record<string, unknown>) => [one.rule, one.line, one.fixedVersion, one.because]),
    [
      ['CVE-2026-7', blockingFindings[0].line, '2.0.0', ["the automation 'No critical packages' blocks it"]],
      ['sql', 7, '', ["the policy blocks the rule 'sql'"]],
    ],
  )
  assert.equal(blockingFindings[0].url, `${page}${blockingFindings[0].id}`)
})
