import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import sql from 'sql-template-tag'
import { type Answer, openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { recordCall } from '../../../test/record-examples.ts'
import { recount } from '../../capabilities/findings/public.ts'
import { type LogRun, sarifLog } from '../../capabilities/findings/test-log.ts'
import { packageLock, packagesOf, scansPath, upload } from '../../capabilities/scans/test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

const sha = 'a'.repeat(40)
const packed = (...runs: LogRun[]) => gzipSync(sarifLog(...runs)).toString('base64')

async function ask(method: string, path: string, body?: object, token = gatehouse.owner.token): Promise<Answer> {
  const url = `/api/v3${path}`
  const answer = await gatehouse.call(method, url, {
    as: '',
    headers: { authorization: `token ${token}`, accept: 'application/vnd.github+json' },
    ...(body && { body }),
  })
  const mediaType = 'application/json'
  if (answer.status === 201 || answer.status === 202) recordCall({ method, url, body, mediaType, answer: answer.body })
  return answer
}

const post = (repository: string, sent: object, ...runs: LogRun[]) =>
  ask('POST', `/repos/${repository}/code-scanning/sarifs`, {
    commit_sha: sha,
    ref: 'refs/heads/main',
    sarif: packed(...runs),
    ...sent,
  })
const put = (repository: string, sent: object, ...runs: LogRun[]) =>
  ask('PUT', `/repos/${repository}/code-scanning/analysis`, {
    commit_oid: sha,
    ref: 'refs/heads/main',
    sarif: packed(...runs),
    workflow_run_id: 1,
    workflow_run_attempt: 1,
    checkout_uri: 'file:///home/runner/work/app/app',
    tool_names: ['x'],
    ...sent,
  })

async function findings(repository: string): Promise<string[]> {
  const rows = await gatehouse.db.as(gatehouse.owner).query<{ shown: string }>(sql`
    select concat_ws(' ', s.source, case when s.pull_request > 0 then '#' || s.pull_request else s.ref end, f.path, f.state) as shown
    from repository r join finding f on f.deployment_id = r.deployment_id and f.repository_id = r.id
    join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
    where r.deployment_id = ${gatehouse.owner.deploymentId} and r.name = ${repository} order by 1`)
  return rows.map((row) => row.shown)
}

const run = (path: string, more: Partial<LogRun> = {}): LogRun => ({
  tool: 'Tester',
  results: [{ path, code: path }],
  ...more,
})

test('a log is taken, done at once, and repeated without effect', async () => {
  const first = await post('acme/app', {}, run('a.js'))
  assert.equal(first.status, 202, JSON.stringify(first.body))
  assert.match(first.body.url, new RegExp(`/api/v3/repos/acme/app/code-scanning/sarifs/${first.body.id}$`))
  const status = await ask('GET', `/repos/acme/app/code-scanning/sarifs/${first.body.id}`)
  assert.deepEqual(status.body, { processing_status: 'complete', analyses_url: null, errors: null })
  assert.equal((await post('acme/app', {}, run('a.js'))).body.id, first.body.id)
  const scan = await gatehouse.call('GET', `${scansPath(gatehouse.owner.deploymentId)}/${first.body.id}`)
  assert.equal(scan.body.scan.source, 'github-code-scanning')
  assert.equal((await ask('GET', `/repos/acme/other/code-scanning/sarifs/${first.body.id}`)).status, 404)
  assert.deepEqual(await findings('acme/app'), ['sarif:tester main a.js 1'])
})

test('another run tells of a branch that was set back, the same run of nothing new', async () => {
  const [one, next] = [{ results: [{ path: 'a.ts' }] }, { results: [{ path: 'b.ts' }] }]
  await put('gh/set-back', { workflow_run_id: 11 }, one)
  await put('gh/set-back', { commit_oid: 'b'.repeat(40), workflow_run_id: 12 }, next)
  await put('gh/set-back', { workflow_run_id: 11, workflow_run_attempt: 2 }, one)
  assert.deepEqual(
    (await findings('gh/set-back')).map((line) => line.replace(/^\S+ /, '')),
    ['main a.ts 7', 'main b.ts 1'],
  )
  await put('gh/set-back', { workflow_run_id: 13 }, one)
  assert.deepEqual(
    (await findings('gh/set-back')).map((line) => line.replace(/^\S+ /, '')),
    ['main a.ts 2', 'main b.ts 7'],
  )
})

test('a category fixes what is its own', async () => {
  await post('acme/categories', {}, run('a.py', { category: 'python' }))
  await post('acme/categories', {}, run('a.java', { category: 'java' }))
  await post('acme/categories', {}, run('b.java', { category: 'java' }))
  assert.deepEqual(await findings('acme/categories'), [
    'sarif:tester:java main a.java 7',
    'sarif:tester:java main b.java 1',
    'sarif:tester:python main a.py 1',
  ])
})

test('where a log names no category, the job and its matrix are one', async () => {
  const job = { analysis_key: '.github/workflows/scan.yml:lint' }
  await put('acme/jobs', { ...job, environment: '{"os":"linux","node":"24"}' }, run('a.js'))
  await put('acme/jobs', { ...job, environment: '{"os":"mac","node":"24"}' }, run('b.js'))
  await put('acme/jobs', { ...job, environment: '{"node":"24","os":"linux"}' }, run('c.js'))
  await put('acme/jobs', job, run('d.js', { category: 'own' }))
  const key = 'sarif:tester:.github/workflows/scan.yml:lint/node:24/os'
  assert.deepEqual(await findings('acme/jobs'), [
    `${key}:linux main a.js 7`,
    `${key}:linux main c.js 1`,
    `${key}:mac main b.js 1`,
    'sarif:tester:own main d.js 1',
  ])
})

test('of a workflow whose file is not known, its name tells analyses apart', async () => {
  const { status, body } = await ask('GET', '/repos/acme/workflows/actions/runs/7?exclude_pull_requests=true')
  assert.equal(status, 200)
  // As the action makes them: the key of the analysis, and with it the category of a log that has none.
  const analysis_key = `${body.path}:scan`
  const log = (path: string) => run(path, { category: analysis_key })
  await put('acme/workflows', { analysis_key, analysis_name: 'Backend' }, log('a.js'))
  await put('acme/workflows', { analysis_key, analysis_name: 'Frontend' }, log('b.js'))
  await put('acme/workflows', { analysis_key, analysis_name: 'Frontend' }, log('c.js'))
  await put('acme/workflows', { analysis_key, analysis_name: 'Frontend' }, run('d.js', { category: 'own' }))
  assert.deepEqual(await findings('acme/workflows'), [
    'sarif:tester:Backend:scan main a.js 1',
    'sarif:tester:Frontend:scan main b.js 7',
    'sarif:tester:Frontend:scan main c.js 1',
    'sarif:tester:own main d.js 1',
  ])
})

test('absolute paths below the checkout are paths of the repository', async () => {
  await put(
    'acme/paths',
    { checkout_uri: 'file:///home/runner/work/app/app/' },
    run('/home/runner/work/app/app/src/a.js'),
  )
  assert.deepEqual(await findings('acme/paths'), ['sarif:tester main src/a.js 1'])
})

test('a pull request is compared with its base', async () => {
  await post('acme/pulls', {}, run('a.js'))
  const two: LogRun = {
    tool: 'Tester',
    results: [
      { path: 'a.js', code: 'a.js' },
      { path: 'b.js', code: 'b.js' },
    ],
  }
  await post('acme/pulls', { ref: 'refs/pull/7/merge' }, two)
  await put('acme/pulls', { ref: 'refs/pull/8/head', base_ref: 'refs/heads/main' }, two)
  assert.deepEqual(await findings('acme/pulls'), [
    'sarif:tester #7 b.js 1',
    'sarif:tester #8 b.js 1',
    'sarif:tester main a.js 1',
  ])
})

test('what cannot be read is refused in the words of GitHub', async () => {
  const garbage = await ask('POST', '/repos/acme/bad/code-scanning/sarifs', {
    commit_sha: sha,
    ref: 'refs/heads/main',
    sarif: gzipSync('{"no":"log"}').toString('base64'),
  })
  assert.equal(garbage.status, 400)
  assert.match(garbage.body.message, /None of the files can be read/)
  const unpacked = await post('acme/bad', { sarif: '!' })
  assert.equal(unpacked.status, 400)
  const ref = await post('acme/bad', { ref: 'main' }, run('a.js'))
  assert.deepEqual([ref.status, /ref/.test(ref.body.message)], [400, true])
  const missing = await ask('POST', '/repos/acme/bad/code-scanning/sarifs', { commit_sha: sha, ref: 'refs/heads/main' })
  assert.equal(missing.status, 400)
  const none = await ask('GET', '/repos/acme/bad/actions/workflows/7')
  assert.deepEqual([none.status, typeof none.body.message], [404, 'string'])
  const stranger = await ask('GET', '/meta', undefined, 'nonsense')
  assert.deepEqual([stranger.status, typeof stranger.body.message], [401, 'string'])
})

test('the server says which release it speaks like, and what an action tells of itself is taken', async () => {
  const meta = await ask('GET', '/meta')
  assert.equal(meta.headers.get('x-github-enterprise-version'), meta.body.installed_version)
  const told = await ask('PUT', '/repos/acme/app/code-scanning/analysis/status', { status: 'success', job_name: 'x' })
  assert.deepEqual([told.status, told.body], [200, {}])
})

type Packages = Record<string, string>
const manifest = (packages: Packages) => ({
  name: 'package-lock.json',
  resolved: Object.fromEntries(
    Object.entries(packages).map(([name, version]) => [name, { package_url: `pkg:npm/${name}@${version}` }]),
  ),
})
const snapshot = (repository: string, packages: Packages, more: object = {}) =>
  ask('POST', `/repos/${repository}/dependency-graph/snapshots`, {
    version: 0,
    job: { id: '1', correlator: 'build' },
    sha,
    ref: 'refs/heads/main',
    detector: { name: 'detector', version: '1', url: 'https://detector.example' },
    scanned: '2026-01-01T00:00:00Z',
    manifests: { lock: manifest(packages) },
    ...more,
  })

const named = async (repository: string) =>
  (await packagesOf(gatehouse, repository)).map((one) => one.replace(/^.*: /, '')).sort()

test('a snapshot replaces the last one of its correlator and detector, and nothing else', async () => {
  await upload(gatehouse, { repository: 'acme/deps' }, { 'package-lock.json': packageLock({ own: '1.0.0' }) })
  const first = await snapshot('acme/deps', { a: '1.0.0' })
  assert.equal(first.status, 201, JSON.stringify(first.body))
  assert.deepEqual([first.body.result, typeof first.body.id], ['SUCCESS', 'number'])
  const told = await gatehouse.call('GET', `${scansPath(gatehouse.owner.deploymentId)}/${first.body.id}`)
  assert.match(told.body.scan.source, /^github-snapshot:build detector [0-9a-f]{8}$/)
  await snapshot('acme/deps', { b: '1.0.0' }, { job: { id: '2', correlator: 'other' } })
  await snapshot('acme/deps', { c: '1.0.0' }, { detector: { name: 'second', version: '1', url: 'https://x.example' } })
  assert.deepEqual(await named('acme/deps'), ['a@1.0.0', 'b@1.0.0', 'c@1.0.0', 'own@1.0.0'])
  await snapshot('acme/deps', { a: '2.0.0' }, { job: { id: '3', correlator: 'build' } })
  assert.deepEqual(await named('acme/deps'), ['a@2.0.0', 'b@1.0.0', 'c@1.0.0', 'own@1.0.0'])
  await upload(gatehouse, { repository: 'acme/deps' }, { 'package-lock.json': packageLock({ own: '2.0.0' }) })
  assert.deepEqual(await named('acme/deps'), ['a@2.0.0', 'b@1.0.0', 'c@1.0.0', 'own@2.0.0'])
})

test('a snapshot of another branch is accepted, and the inventory is as it was', async () => {
  await snapshot('acme/branches', { a: '1.0.0' })
  const other = await snapshot('acme/branches', { b: '1.0.0' }, { ref: 'refs/heads/feature' })
  assert.deepEqual([other.status, other.body.result], [201, 'ACCEPTED'])
  assert.deepEqual(await named('acme/branches'), ['a@1.0.0'])
})

test('a snapshot that says too little of itself is refused', async () => {
  for (const [lacking, says] of [
    [{ ref: 'main' }, /ref must be a ref/],
    [{ sha: 'x' }, /sha must be a commit/],
    [{ job: {} }, /job\/correlator must be a text/],
    [{ manifests: [] }, /None of the files can be read/],
  ] as const) {
    const answer = await snapshot('acme/lacking', {}, lacking)
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.match(answer.body.message, says)
  }
})
