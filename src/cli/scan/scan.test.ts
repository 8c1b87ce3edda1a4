import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Ran, runCommand } from '../../../test/clients/command-line.ts'
import { deepOnly } from '../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { mishaps, startFlakyProxy } from '../../../test/outside/flaky-proxy.ts'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import { sarifLog } from '../../capabilities/findings/test-log.ts'
import { inventoryOf, packageLock, scansPath } from '../../capabilities/scans/test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const commit = '1f0c4b2a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
const goSum = 'golang.org/x/text v0.3.0 h1:g61tztE5qeGQ89tm6NTjjM9VPIm088od1l6aSorWRWg=\n'
const project = {
  'package-lock.json': packageLock({ 'left-pad': '1.3.0', express: '4.18.2' }),
  'services/a/go.sum': goSum,
  'services/b/yarn.lock': '# yarn lockfile v1\n\n"is-odd@^3.0.0":\n  version "3.0.1"\n\n"broken@1":\n  resolved "x"\n',
  'broken/Cargo.lock': 'version = 3\n[[package]\n',
  'ignored/pom.xml': '<project/>',
  '.gitignore': '/ignored/\n',
}

function folderWith(t: TestContext, files: Record<string, string | Uint8Array>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-scan-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

/** The token must never come out again, whatever happens. */
async function runGatehouse(args: string[], cwd: string, env: Record<string, string> = {}): Promise<Ran> {
  const token = env.GATEHOUSE_TOKEN ?? gatehouse.owner.token
  const ran = await runCommand(args, { cwd, env: { GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: token, ...env } })
  assert.ok(!`${ran.stdout}${ran.stderr}`.includes(gatehouse.owner.token), 'the token was printed')
  return ran
}

async function scansOf(repositoryId: number) {
  const { body } = await gatehouse.call(
    'GET',
    `${scansPath(gatehouse.owner.deploymentId)}?repositoryId=${repositoryId}`,
  )
  return body.scans
}

test('a folder is scanned and the receipt shown as a table', async (t) => {
  const folder = folderWith(t, project)
  const ran = await runGatehouse(['scan', '--repository', 'table/one', '--ref', 'main'], folder)
  assert.equal(ran.stderr, '')
  assert.equal(ran.code, 0)
  const [header, ...lines] = ran.stdout.split('\n')
  assert.match(header!, /^File +Format +Dependencies +Problems$/)
  assert.match(lines[0]!, /^broken\/Cargo\.lock +unreadable +0 +1$/)
  assert.match(lines[1]!, /^package-lock\.json +package-lock +2 +0$/)
  assert.match(lines[2]!, /^services\/a\/go\.sum +go-sum +1 +0$/)
  assert.match(lines[3]!, /^services\/b\/yarn\.lock +yarn-v1 +2 +1$/)
  assert.match(ran.stdout, /\nProblems:\n {2}broken\/Cargo\.lock:2: .+\n {2}services\/b\/yarn\.lock:6: .+\n/)
  assert.match(
    ran.stdout,
    /Scan \d+ of table\/one at main: 4 files, 5 dependencies, 2 problems\.\nThe repository was created\./,
  )
  assert.doesNotMatch(ran.stdout, /pom\.xml/)
})

test('a folder in a checkout is a part of it: what is elsewhere stays', async (t) => {
  const folder = folderWith(t, project)
  execFileSync('git', ['init', '--quiet', folder])
  const args = ['--repository', 'part/cli', '--ref', 'main']
  await runGatehouse(['scan', ...args], folder)
  const ran = await runGatehouse(['scan', 'services/b', ...args], folder)
  assert.equal(ran.code, 0, ran.stderr)
  assert.doesNotMatch(ran.stdout, /No longer there/)
  assert.match(ran.stdout, /\nOnly services\/b was looked at: what lies outside of it stays as it was\.\n/)
  assert.deepEqual(
    [...new Set((await inventoryOf(gatehouse, 'part/cli')).map(({ path }) => path))],
    ['package-lock.json', 'services/a/go.sum', 'services/b/yarn.lock'],
  )
})

test('a submodule does not take the place of the repository that it is in', async (t) => {
  const folder = folderWith(t, { 'go.sum': goSum, 'vendored/package-lock.json': project['package-lock.json'] })
  for (const path of ['.', 'vendored']) execFileSync('git', ['init', '--quiet', join(folder, path)])
  const env = { GATEHOUSE_REPOSITORY: 'around/app', GATEHOUSE_REF: 'main' }
  assert.equal((await runGatehouse(['scan'], folder, env)).code, 0)
  const refused = await runGatehouse(['scan', 'vendored'], folder, env)
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /'vendored' is a checkout of its own, .* say --repository, --ref and --commit\./)
  const own = ['--repository', 'around/vendored', '--ref', 'main', '--commit', commit]
  const named = await runGatehouse(['scan', 'vendored', ...own], folder, env)
  assert.match(named.stdout, /of around\/vendored at main \(1f0c4b2a9d8e\): 1 file, 2 dependencies/)
})

test('--json prints the receipt, the same that Gatehouse keeps', async (t) => {
  const folder = folderWith(t, project)
  const args = ['scan', '--repository', 'json/one', '--ref', 'main', '--commit', commit.toUpperCase(), '--json']
  const ran = await runGatehouse(args, folder)
  assert.equal(ran.code, 0)
  const receipt = JSON.parse(ran.stdout)
  assert.equal(receipt.scan.commit, commit)
  assert.match(receipt.scan.tool, /^gatehouse\/\d/)
  const kept = await gatehouse.call('GET', `${scansPath(gatehouse.owner.deploymentId)}/${receipt.scan.id}/receipt`)
  assert.deepEqual(kept.body, receipt)
  const again = await runGatehouse(args, folder)
  assert.deepEqual(JSON.parse(again.stdout), { ...receipt, repeated: true })
})

test('in CI the environment alone is enough, for pull requests too', async (t) => {
  const folder = folderWith(t, project)
  const ran = await runGatehouse(['scan', '--json'], folder, {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'ci/one',
    GITHUB_REF: 'refs/pull/17/merge',
    GITHUB_HEAD_REF: 'feature',
    GITHUB_BASE_REF: 'main',
    GITHUB_SHA: commit,
    GATEHOUSE_DEPLOYMENT: String(gatehouse.owner.deploymentId),
  })
  const { repository, kind, ref, pullRequest, baseRef, isInventory } = JSON.parse(ran.stdout).scan
  assert.deepEqual(
    { repository, kind, ref, pullRequest, baseRef, isInventory },
    {
      repository: 'ci/one',
      kind: 'SCAN_KIND_PULL_REQUEST',
      ref: 'feature',
      pullRequest: 17,
      baseRef: 'main',
      isInventory: false,
    },
  )
})

test('in a checkout git knows the rest, and nothing is sent without it', async (t) => {
  const folder = folderWith(t, project)
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args])
  git('init', '-q', '-b', 'trunk')
  git('remote', 'add', 'origin', 'git@git.example.com:shop/checkout.git')
  git('add', '.')
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-q', '-m', 'x')
  const dry = await runGatehouse(['scan', 'services', '--dry-run', '--json'], folder, { GATEHOUSE_URL: '' })
  const { scan, files } = JSON.parse(dry.stdout)
  assert.equal(scan.repository, 'shop/checkout')
  assert.equal(scan.ref, 'trunk')
  assert.equal(scan.commit, git('rev-parse', 'HEAD').toString().trim())
  assert.deepEqual(files, [
    { path: 'services/a/go.sum', bytes: goSum.length },
    { path: 'services/b/yarn.lock', bytes: project['services/b/yarn.lock'].length },
  ])
  git('checkout', '-q', '--detach')
  const detached = await runGatehouse(['scan', '--dry-run'], folder)
  assert.deepEqual(detached, {
    code: 2,
    stdout: '',
    stderr: 'gatehouse: Say --ref (or GATEHOUSE_REF): git is on no branch.\n',
  })
  const without = await runGatehouse(['scan', '--dry-run'], folder, { PATH: '/nowhere' })
  assert.equal(without.code, 2)
  assert.equal(without.stderr, 'gatehouse: Say --repository (or GATEHOUSE_REPOSITORY): git is not installed.\n')
})

const refusals: [title: string, args: string[], env: Record<string, string>, sentence: RegExp][] = [
  ['a token of more than one line', [], { GATEHOUSE_TOKEN: 'a\nb' }, /has characters that no token has/],
  [
    'a token that is not valid',
    [],
    { GATEHOUSE_TOKEN: 'gth_wrong' },
    /^gatehouse: Gatehouse refused the upload \(401\): .+$/,
  ],
  ['another deployment', ['--deployment', '77'], {}, /refused the upload \(404\)/],
  ['a repository that must be known', ['--no-create-repository'], {}, /refused the upload \(422\): .*never\/made/],
  ['a folder without lockfiles', ['empty'], {}, /no lockfile, bill of materials or new SARIF log under 'empty'/],
]

for (const [title, args, env, sentence] of refusals) {
  test(`exits 2 with one sentence: ${title}`, async (t) => {
    const folder = folderWith(t, { 'go.sum': goSum, 'empty/README.md': '' })
    const ran = await runGatehouse(['scan', '--repository', 'never/made', '--ref', 'main', ...args], folder, env)
    assert.equal(ran.stdout, '')
    assert.match(ran.stderr.trimEnd(), sentence)
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1)
    assert.equal(ran.code, 2)
  })
}

test('where no file can be read, each is named', async (t) => {
  const folder = folderWith(t, { 'a/Cargo.lock': '[[package]\n', 'package-lock.json': '{"lockfileVersion": 3' })
  const args = ['scan', '--repository', 'all/broken', '--ref', 'main']
  const ran = await runGatehouse(args, folder)
  assert.equal(ran.code, 2)
  assert.match(
    ran.stderr,
    /^gatehouse: Gatehouse refused the upload \(422\): .+\n {2}a\/Cargo\.lock: .+\n {2}package-lock\.json: .+\n$/,
  )
  const json = await runGatehouse([...args, '--json'], folder)
  assert.deepEqual([json.code, json.stderr, Object.keys(JSON.parse(json.stdout))], [2, '', ['error']])
})

test('a repository without dependencies can be said to have none', async (t) => {
  const folder = folderWith(t, { 'README.md': '' })
  const ran = await runGatehouse(
    ['scan', '--allow-empty', '--repository', 'empty/one', '--ref', 'main', '--json'],
    folder,
  )
  assert.equal(ran.code, 0)
  assert.deepEqual(JSON.parse(ran.stdout).files, [])
})

for (const [name, mishap] of Object.entries(mishaps)) {
  test(`an upload that meets trouble on its way (${name}) is made once`, async (t) => {
    const folder = folderWith(t, project)
    const proxy = await startFlakyProxy(gatehouse.url, [mishap])
    t.after(proxy.close)
    const args = ['scan', '--repository', `flaky/${name}`, '--ref', 'main', '--json']
    const ran = await runGatehouse(args, folder, { GATEHOUSE_URL: proxy.url })
    assert.equal(ran.code, 0)
    assert.match(ran.stderr, /^gatehouse: .+; trying again in [\d.]+ s\.\n$/)
    const receipt = JSON.parse(ran.stdout)
    assert.equal(receipt.repeated, false)
    assert.deepEqual(proxy.keys, [proxy.keys[0], proxy.keys[0]])
    assert.equal((await scansOf(receipt.scan.repositoryId)).length, 1)
  })
}

test('files are uploaded under their paths, packed ones too', async (t) => {
  const folder = folderWith(t, { 'a/go.sum': goSum, 'b.json.gz': gzipSync(project['package-lock.json']) })
  writeFileSync(join(folder, 'token'), `${gatehouse.owner.token}\n`)
  const about = ['--repository', 'upload/one', '--ref', 'main', '--token-file', 'token', '--json']
  const none = { GATEHOUSE_TOKEN: '' }
  const both = await runGatehouse(['upload', './a/go.sum', 'b.json.gz', ...about], folder, none)
  const read = JSON.parse(both.stdout).files.map(({ path, format }: { path: string; format: string }) => [path, format])
  assert.deepEqual(read, [
    ['a/go.sum', 'go-sum'],
    ['b.json.gz', 'package-lock'],
  ])
  const one = await runGatehouse(
    ['upload', join(folder, 'b.json.gz'), '--path', 'web/package-lock.json', ...about],
    folder,
    none,
  )
  const receipt = JSON.parse(one.stdout)
  assert.equal(receipt.files[0].path, 'web/package-lock.json')
  assert.deepEqual(receipt.removedPaths, ['a/go.sum', 'b.json.gz'])
})

const misuses: [args: string[], sentence: RegExp][] = [
  [['none.lock'], /There is no file 'none\.lock'/],
  [['a'], /'a' is a folder; use: gatehouse scan a/],
  [['a/../go.sum'], /'a\/\.\.\/go\.sum' is not a path in the repository/],
  [['go.sum', 'a/go.sum', '--path', 'x'], /--path is for a single file/],
  [[], /missing required argument 'file'/],
  [['go.sum', '--token', 'x'], /unknown option '--token'/],
]

test('a pull request that a policy blocks ends the build, saying by which rule', async (t) => {
  const policies = '/api/policies/v1/deployments/1'
  const list = (await gatehouse.call('GET', policies)).body.policies
  const { id } = list.find((one: { productType: string }) => one.productType === 'PRODUCT_TYPE_SAST')
  await gatehouse.call('PUT', `${policies}/policies/${id}/rules`, {
    body: { rules: [{ rule: 'must', mode: 'block' }] },
  })
  const folder = folderWith(t, {
    'out/log.sarif': sarifLog({ results: [{ rule: 'must' }, { rule: 'may', code: 'b' }] }),
  })
  const about = ['upload', 'out/log.sarif', '--repository', 'sarif/one', '--ref', 'fix']
  const onBranch = await runGatehouse(about, folder)
  assert.equal(onBranch.code, 0, onBranch.stderr)
  const early = await runGatehouse([...about, '--pull-request', '4', '--base-ref', 'main'], folder)
  assert.equal(early.code, 0)
  assert.match(early.stdout, /\nNo full scan of main, .* has this yet: tester\. .* 2 findings were not raised\./)
  writeFileSync(join(folder, 'out/empty.sarif'), sarifLog({ results: [] }))
  const main = ['upload', 'out/empty.sarif', '--repository', 'sarif/one', '--ref', 'main']
  assert.equal((await runGatehouse(main, folder)).code, 0)
  const ran = await runGatehouse([...about, '--pull-request', '4', '--base-ref', 'main'], folder)
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /^out\/log\.sarif +sarif +0 +2 +2 +0$/m)
  assert.match(ran.stdout, /\nBlocked by the policy: rule 'must'\.\n\n1 finding blocks this:\n[\s\S]*at src\/a\.js:1\n/)
})

test('a pull request is said to be over, without a scan', async (t) => {
  const folder = folderWith(t, { 'go.sum': goSum })
  const about = ['--repository', 'over/one', '--pull-request', '4']
  const unknown = await runGatehouse(['scan', '--closed', ...about], folder)
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /^gatehouse: Gatehouse refused the request \(422\): .*over\/one/)
  assert.equal((await runGatehouse(['scan', '--repository', 'over/one', '--ref', 'main'], folder)).code, 0)
  const over = await runGatehouse(['scan', '--merged', ...about, '--json'], folder)
  assert.deepEqual([over.code, JSON.parse(over.stdout)], [0, { endedFindings: 0, known: false }])
  const mistyped = await runGatehouse(['scan', '--closed', ...about], folder)
  assert.equal(mistyped.code, 0, 'pull requests of forks are closed that were never scanned')
  assert.match(mistyped.stdout, /^Nothing is known of pull request 4 of over\/one: it was never scanned\./)
  const untold = await runGatehouse(['scan', '--closed', '--repository', 'over/one'], folder)
  assert.deepEqual(
    [untold.code, untold.stderr],
    [2, 'gatehouse: Say --pull-request (or GATEHOUSE_PULL_REQUEST): which one is over.\n'],
  )
  const deleted = await runGatehouse(['scan', '--deleted', '--repository', 'over/one', '--ref', 'feature'], folder)
  assert.deepEqual(
    [deleted.code, deleted.stdout],
    [0, 'Branch feature of over/one is deleted: 0 findings that stood on it are settled.\n'],
  )
  const both = await runGatehouse(['scan', '--deleted', '--closed', ...about], folder)
  assert.deepEqual([both.code, both.stderr.includes('say one of them')], [2, true])
  const unnamed = await runGatehouse(['scan', '--deleted', '--repository', 'over/one'], folder)
  assert.deepEqual([unnamed.code, unnamed.stderr], [2, 'gatehouse: Say --ref: which branch was deleted.\n'])
  const { scans } = (await gatehouse.call('GET', `${scansPath(gatehouse.owner.deploymentId)}?pageSize=100`)).body
  assert.equal(scans.filter((scan: { repository: string }) => scan.repository === 'over/one').length, 1)
})

test('absolute paths in a log become those of the checkout that the command runs in, or that it is told of', async (t) => {
  const folder = folderWith(t, { '.git/HEAD': '' })
  const write = (root: string) =>
    writeFileSync(join(folder, 'log.sarif'), sarifLog({ results: [{ path: `file://${root}/src/a.js` }] }))
  const about = ['upload', 'log.sarif', '--json', '--repository', 'sarif/root', '--ref', 'main']
  write(folder)
  const here = JSON.parse((await runGatehouse(about, folder)).stdout)
  assert.deepEqual([here.files[0].findings.raised, here.files[0].problemCount], [1, 0])
  for (const [args, env] of [
    [['--root', '/in/a/container'], {}],
    [[], { GATEHOUSE_ROOT: '/in/a/container' }],
  ] as const) {
    write('/in/a/container')
    const there = JSON.parse((await runGatehouse([...about, ...args], folder, env)).stdout)
    assert.deepEqual(there.files[0].findings, {
      total: 1,
      raised: 0,
      reopened: 0,
      fixed: 0,
      inherited: 0,
      undetermined: 0,
      complete: true,
    })
  }
})

test('what cannot be uploaded is told in one sentence', async (t) => {
  const folder = folderWith(t, { 'go.sum': goSum, 'a/go.sum': goSum })
  for (const [args, sentence] of misuses) {
    const ran = await runGatehouse(['upload', ...args, '--repository', 'upload/two', '--ref', 'main'], folder)
    assert.match(ran.stderr, sentence)
    assert.equal(ran.code, 2)
  }
})

const data = realData()

test('real lockfiles, a whole folder of them', {
  skip: data ? deepOnly('their readers are tested with them, each by itself') : withoutRealData,
}, async () => {
  const folder = join(data!, 'lockfiles')
  const about = ['--repository', 'real/lockfiles', '--ref', 'main', '--json']
  const wanted = JSON.parse((await runGatehouse(['scan', '--dry-run', ...about], folder)).stdout).files
  const ran = await runGatehouse(['scan', ...about], folder)
  assert.equal(ran.code, 0)
  const { files, scan } = JSON.parse(ran.stdout)
  assert.ok(files.length > 50)
  type File = { path: string; bytes: number }
  const sizes = (list: File[]) => list.map(({ path, bytes }) => ({ path, bytes }))
  assert.deepEqual(sizes(files), sizes(wanted))
  assert.equal(scan.fileCount, files.length)
})
