import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { recount } from '../findings/public.ts'
import { type LogResult, type LogRun, sarifLog } from '../findings/test-log.ts'
import { packageLock, packagesOf, send as sendBytes, upload } from './test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

async function send(repository: string, scan: object, ...runs: LogRun[]) {
  const answer = await upload(gatehouse, { repository, ...scan }, { 'log.sarif': sarifLog(...runs) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function statesOf(repository: string): Promise<string[]> {
  const rows = await gatehouse.db.as(gatehouse.owner).query<{ shown: string }>(sql`
    select concat_ws(' ', s.source, case when s.pull_request > 0 then '#' || s.pull_request else s.ref end,
      f.content #>> '{locations,0,snippet}', f.state, case when f.silenced then 'silenced' end) as shown
    from repository r join finding f on f.deployment_id = r.deployment_id and f.repository_id = r.id
    join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
    where r.deployment_id = ${gatehouse.owner.deploymentId} and r.name = ${repository} order by 1`)
  return rows.map((row) => row.shown)
}

const results = (...codes: string[]): LogResult[] => codes.map((code) => ({ code }))

test('a log is read by its content; its findings are raised once, and the receipt counts them', async () => {
  const log = sarifLog({ results: results('a', 'b') })
  const first = await upload(gatehouse, { repository: 'sarif/door', commit: '1111111' }, { 'whatever.txt': log })
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.deepEqual(first.body.files[0], {
    path: 'whatever.txt',
    status: 'FILE_STATUS_READ',
    format: 'sarif',
    bytes: log.length,
    dependencies: 0,
    findings: { total: 2, raised: 2, reopened: 0, fixed: 0, inherited: 0, undetermined: 0, complete: true },
    statements: 0,
    keptPrevious: false,
    problems: [],
    problemCount: 0,
  })
  assert.deepEqual([first.body.scan.findingCount, first.body.blocked, first.body.blockedBy], [2, false, []])
  const again = await upload(gatehouse, { repository: 'sarif/door', commit: '1111111' }, { 'whatever.txt': log })
  assert.equal(again.body.repeated, true)
  const later = await upload(gatehouse, { repository: 'sarif/door', commit: '2222222' }, { 'whatever.txt': log })
  assert.deepEqual(later.body.files[0].findings, {
    total: 2,
    raised: 0,
    reopened: 0,
    fixed: 0,
    inherited: 0,
    undetermined: 0,
    complete: true,
  })
  const receipt = await gatehouse.call('GET', `/api/scans/v1/deployments/1/scans/${later.body.scan.id}/receipt`)
  assert.deepEqual(receipt.body.files, later.body.files)
})

test('a log leaves the inventory alone, and lockfiles leave findings alone', async () => {
  const repository = 'sarif/inventory'
  const lock = packageLock({ a: '1.0.0' })
  await upload(gatehouse, { repository }, { 'package-lock.json': lock })
  const logged = await send(repository, {}, { results: results('x') })
  assert.deepEqual([logged.scan.isInventory, logged.removedPaths], [false, []])
  assert.deepEqual(await packagesOf(gatehouse, repository), ['package-lock.json: a@1.0.0'])
  const repeated = await send(repository, {}, { results: results('x') })
  assert.equal(repeated.repeated, true)
  await upload(gatehouse, { repository }, { 'package-lock.json': packageLock({ a: '2.0.0' }) })
  assert.deepEqual(await statesOf(repository), ['sarif:tester main x 1'])
  const both = { 'package-lock.json': lock, 'log.sarif': sarifLog({ results: results('y') }) }
  const together = await upload(gatehouse, { repository }, both)
  assert.deepEqual([together.body.scan.isInventory, together.body.scan.findingCount], [true, 1])
  assert.deepEqual(await packagesOf(gatehouse, repository), ['package-lock.json: a@1.0.0'])
  assert.deepEqual(await statesOf(repository), ['sarif:tester main x 7', 'sarif:tester main y 1'])
})

test('each tool, and each of its categories, is fixed by its own logs alone', async () => {
  const repository = 'sarif/tools'
  await send(repository, {}, { tool: 'Semgrep OSS', results: results('s') }, { tool: 'Bandit', results: results('b') })
  await send(repository, {}, { tool: 'CodeQL', category: 'python', results: results('p') })
  await send(repository, {}, { tool: 'CodeQL', category: 'java', results: results('j') })
  assert.deepEqual(await statesOf(repository), [
    'sarif:bandit main b 1',
    'sarif:codeql:java main j 1',
    'sarif:codeql:python main p 1',
    'sarif:semgrep main s 1',
  ])
  const clean = await send(repository, {}, { tool: 'Semgrep PRO', results: [] })
  assert.equal(clean.files[0].findings.fixed, 1)
  assert.deepEqual((await statesOf(repository)).at(-1), 'sarif:semgrep main s 7')
})

test('tools and categories whose long names begin alike are told apart', async () => {
  const repository = 'sarif/long-names'
  const long = (end: string) => `.github/workflows/${'deployment-of-the-regional-warehouse-'.repeat(12)}${end}`
  const category = (end: string, code: string) => ({ tool: 'CodeQL', category: long(end), results: results(code) })
  await send(repository, {}, category('java', 'j'))
  await send(repository, {}, category('python', 'p'))
  await send(repository, {}, { tool: `${'x'.repeat(120)}-one`, results: results('1') })
  await send(repository, {}, { tool: `${'x'.repeat(120)}-two`, results: results('2') })
  // A name of up to 100 characters is the name of its source.
  const whole = 'c'.repeat(100)
  await send(repository, {}, { tool: 'CodeQL', category: whole, results: results('w') })
  const states = await statesOf(repository)
  assert.deepEqual(states.map((one) => one.split(' ').slice(2).join(' ')).sort(), ['1 1', '2 1', 'j 1', 'p 1', 'w 1'])
  assert.ok(states.includes(`sarif:codeql:${whole} main w 1`))
})

test('a run that failed, or that has no results, is not clean: it fixes nothing, and the receipt says so', async () => {
  const repository = 'sarif/failed'
  await send(repository, {}, { results: results('a', 'b') })
  const failed = await send(repository, {}, { failed: true, results: results('b', 'c') })
  assert.deepEqual(failed.files[0].findings, {
    total: 2,
    raised: 1,
    reopened: 0,
    fixed: 0,
    inherited: 0,
    undetermined: 0,
    complete: false,
  })
  assert.equal(failed.files[0].problems[0].code, 'run-failed')
  const none = await send(repository, {}, { results: null })
  assert.deepEqual(none.files[0].findings, {
    total: 0,
    raised: 0,
    reopened: 0,
    fixed: 0,
    inherited: 0,
    undetermined: 0,
    complete: false,
  })
  assert.equal(none.files[0].problems[0].code, 'no-results')
  const broken = sarifLog({ results: [] }).slice(0, -3)
  const cut = await upload(gatehouse, { repository }, { 'log.sarif': broken, 'go.mod': 'module x\n' })
  assert.equal(cut.body.files[1].status, 'FILE_STATUS_UNREADABLE')
  assert.deepEqual(
    await statesOf(repository),
    ['a', 'b', 'c'].map((code) => `sarif:tester main ${code} 1`),
  )
})

test('a result that cannot be read may be any: the log fixes nothing', async () => {
  const repository = 'sarif/one-result'
  await send(repository, {}, { results: results('a', 'b') })
  const parsed = JSON.parse(sarifLog({ results: results('a') }))
  parsed.runs[0].results.push({})
  const { body } = await upload(gatehouse, { repository }, { 'log.sarif': JSON.stringify(parsed) })
  const { problems, findings } = body.files[0]
  assert.deepEqual([problems[0].code, findings.fixed, findings.complete], ['empty-result', 0, false])
  assert.deepEqual(await statesOf(repository), ['sarif:tester main a 1', 'sarif:tester main b 1'])
})

test('a log that cannot be read keeps all logs of its upload from fixing anything; a lockfile does not', async () => {
  const repository = 'sarif/one-cut'
  const whole = { 'a.sarif': sarifLog({ results: results('a') }), 'b.sarif': sarifLog({ results: results('b') }) }
  await upload(gatehouse, { repository }, whole)
  const broken: Record<string, string | Buffer> = {
    'b.sarif': whole['b.sarif'].slice(0, -3),
    'b.json': whole['b.sarif'].slice(0, 20),
  }
  for (const [name, bytes] of Object.entries(broken)) {
    const cut = await upload(gatehouse, { repository }, { 'a.sarif': whole['a.sarif'], [name]: bytes })
    assert.equal(cut.status, 200, JSON.stringify(cut.body))
    assert.deepEqual([cut.body.files[0].findings.fixed, cut.body.files[0].findings.complete], [0, false], name)
    assert.deepEqual(await statesOf(repository), ['sarif:tester main a 1', 'sarif:tester main b 1'], name)
  }
  const lockfile = { 'a.sarif': whole['a.sarif'], 'package-lock.json': '{"lockfileVersion": 3, "packages": {' }
  const read = await upload(gatehouse, { repository }, lockfile)
  assert.equal(read.body.files[0].findings.fixed, 1)
  assert.deepEqual(await statesOf(repository), ['sarif:tester main a 1', 'sarif:tester main b 7'])
})

test('two logs of one tool are one observation', async () => {
  const repository = 'sarif/two-files'
  const files = (a: string[], b: string[]) => ({
    'a.sarif': sarifLog({ results: a.map((code) => ({ code, path: 'a.js' })) }),
    'b.sarif': sarifLog({ results: b.map((code) => ({ code, path: 'b.js' })) }),
  })
  await upload(gatehouse, { repository }, files(['x', 'y'], ['z']))
  const next = await upload(gatehouse, { repository }, files(['x'], ['w']))
  const counted = next.body.files.map((file: { findings: object }) => file.findings)
  assert.deepEqual(counted, [
    { total: 1, raised: 0, reopened: 0, fixed: 0, inherited: 0, undetermined: 0, complete: true },
    { total: 1, raised: 1, reopened: 0, fixed: 2, inherited: 0, undetermined: 0, complete: true },
  ])
  const same = await upload(
    gatehouse,
    { repository, ref: 'same' },
    { ...files(['x'], []), 'c.sarif': files(['x'], [])['a.sarif'] },
  )
  assert.equal(same.status, 200, JSON.stringify(same.body))
})

test('a pull request has findings of its own, shown or silenced or left out by the mode of their rule', async () => {
  const policies = '/api/policies/v1/deployments/1'
  const list = await gatehouse.call('GET', policies)
  const policy = list.body.policies.find((one: { productType: string }) => one.productType === 'PRODUCT_TYPE_SAST')
  const rules = [
    { rule: 'shown.*', mode: 'comment' },
    { rule: 'off', mode: 'disabled' },
  ]
  const set = await gatehouse.call('PUT', `${policies}/policies/${policy.id}/rules`, { body: { rules } })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const repository = 'sarif/pull-request'
  await send(repository, {}, { results: results('a') })
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'fix', baseRef: 'main', pullRequest: 3 }
  const raised = await send(repository, change, {
    results: [
      { rule: 'shown.x', code: 'b' },
      { rule: 'quiet', code: 'c' },
      { rule: 'off', code: 'd' },
    ],
  })
  assert.deepEqual(raised.files[0].findings, {
    total: 3,
    raised: 2,
    reopened: 0,
    fixed: 0,
    inherited: 0,
    undetermined: 0,
    complete: true,
  })
  await send(repository, { ...change, ref: 'renamed' }, { results: [{ rule: 'quiet', code: 'c' }] })
  assert.deepEqual(await statesOf(repository), [
    'sarif:tester #3 b 7',
    'sarif:tester #3 c 1 silenced',
    'sarif:tester main a 1',
  ])
})

test('what is suppressed in a pull request, or whose rule was switched off since, is silenced and not fixed', async () => {
  const policies = '/api/policies/v1/deployments/1'
  const list = await gatehouse.call('GET', policies)
  const policy = list.body.policies.find((one: { productType: string }) => one.productType === 'PRODUCT_TYPE_SAST')
  const setMode = async (mode: string) => {
    const body = { rules: [{ rule: 'hush', mode }] }
    assert.equal((await gatehouse.call('PUT', `${policies}/policies/${policy.id}/rules`, { body })).status, 200)
  }
  const repository = 'sarif/hushed'
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'fix', baseRef: 'main', pullRequest: 4 }
  const seen = (code: string, suppressed = false) => ({ rule: 'hush', code, suppressed })
  await setMode('comment')
  await send(repository, {}, { results: [seen('m', true)] })
  await send(repository, change, { results: [seen('a'), seen('b', true), seen('c'), seen('d')] })
  const onMain = 'sarif:tester main m 5'
  assert.deepEqual(await statesOf(repository), [
    ...['sarif:tester #4 a 1', 'sarif:tester #4 b 5 silenced', 'sarif:tester #4 c 1', 'sarif:tester #4 d 1'],
    onMain,
  ])
  await send(repository, change, { results: [seen('a', true), seen('b'), seen('c')] })
  const shown = ['sarif:tester #4 a 5 silenced', 'sarif:tester #4 b 1', 'sarif:tester #4 c 1', 'sarif:tester #4 d 7']
  assert.deepEqual(await statesOf(repository), [...shown, onMain])
  await setMode('disabled')
  const off = await send(repository, change, { results: [seen('b'), seen('c'), seen('d'), seen('e')] })
  assert.deepEqual(off.files[0].findings, {
    total: 4,
    raised: 0,
    reopened: 0,
    fixed: 1,
    inherited: 0,
    undetermined: 0,
    complete: true,
  })
  assert.deepEqual(await statesOf(repository), [
    ...['sarif:tester #4 a 7 silenced', 'sarif:tester #4 b 1 silenced', 'sarif:tester #4 c 1 silenced'],
    ...['sarif:tester #4 d 7', onMain],
  ])
})

test('a pull request that goes back to a former branch, and to what was found there, is looked at again', async () => {
  const pullRequest = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main' }
  await send('sarif/renamed', {}, { results: [] })
  await send('sarif/renamed', { ...pullRequest, ref: 'one' }, { results: results('a') })
  await send('sarif/renamed', { ...pullRequest, ref: 'other' }, { results: results('b') })
  const back = await send('sarif/renamed', { ...pullRequest, ref: 'one' }, { results: results('a') })
  assert.deepEqual([back.repeated, back.files[0].findings.reopened], [false, 1])
  const again = await send('sarif/renamed', { ...pullRequest, ref: 'one' }, { results: results('a') })
  assert.equal(again.repeated, true)
})

test('a rule in block mode blocks the pull request until its findings are settled', async () => {
  const policies = '/api/policies/v1/deployments/1'
  const list = await gatehouse.call('GET', policies)
  const policy = list.body.policies.find((one: { productType: string }) => one.productType === 'PRODUCT_TYPE_SAST')
  const rules = [{ rule: 'must', mode: 'block' }]
  await gatehouse.call('PUT', `${policies}/policies/${policy.id}/rules`, { body: { rules } })
  const repository = 'sarif/blocked'
  const run = { results: [{ rule: 'must', code: 'a' }] }
  const onBranch = await send(repository, {}, { results: [{ rule: 'must', code: 'b' }] })
  assert.deepEqual([onBranch.blocked, onBranch.blockedByRules], [false, []])
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'fix', baseRef: 'main', pullRequest: 9, commit: '9999999' }
  const blocked = await send(repository, change, run)
  assert.deepEqual([blocked.blocked, blocked.blockedByRules], [true, ['must']])
  const still = await send(repository, change, run)
  assert.deepEqual([still.blocked, still.repeated], [true, false])
  const filter = { repositories: [repository], pullRequests: 'only' }
  const body = { filter, triageState: 'TRIAGE_STATE_IGNORED' }
  assert.equal((await gatehouse.call('POST', '/api/findings/1/findings/triage', { body })).status, 200)
  const settled = await send(repository, change, run)
  assert.deepEqual([settled.blocked, settled.repeated], [false, false])
  assert.equal((await send(repository, change, run)).repeated, true)
})

test('moved lines, shuffled results and renamed files of the log change nothing', async () => {
  const repository = 'sarif/moved'
  const many = Array.from({ length: 20 }, (_, at) => ({ code: `call(${at % 7})`, line: at + 1, rule: `r${at % 3}` }))
  await send(repository, {}, { results: many })
  for (let round = 1; round <= 10; round++) {
    const moved = many
      .map((one) => ({ ...one, line: one.line + round * 10 }))
      .sort((a, b) => hash(a, round) - hash(b, round))
    const answer = await send(repository, {}, { results: moved })
    assert.deepEqual(answer.files[0].findings, {
      total: 20,
      raised: 0,
      reopened: 0,
      fixed: 0,
      inherited: 0,
      undetermined: 0,
      complete: true,
    })
  }
  assert.equal((await statesOf(repository)).length, 20)
})

function hash(one: { line: number }, round: number): number {
  return (one.line * 7919 * round) % 31
}

test('the same secret has another identity in another deployment', async () => {
  const other = await gatehouse.addDeployment()
  const secret = { tool: 'gitleaks', results: [{ rule: 'aws', code: 'AKIAQYLPMN5HHHFPZAM2', path: '.env' }] }
  await send('sarif/secret', {}, secret)
  const how = { as: other.as, deploymentId: other.id }
  await upload(gatehouse, { repository: 'sarif/secret' }, { 'log.sarif': sarifLog(secret) }, how)
  const prints = await Promise.all(
    [gatehouse.owner.deploymentId, other.id].map(async (deploymentId) => {
      const rows = await gatehouse.db.as({ deploymentId }).query<{ fingerprint: string; whole: string }>(sql`
        select f.fingerprint, f::text as whole from repository r
        join finding f on f.deployment_id = r.deployment_id and f.repository_id = r.id
        where r.deployment_id = ${deploymentId} and r.name = 'sarif/secret'`)
      assert.equal(rows.length, 1)
      assert.ok(!rows[0]!.whole.includes('PMN5HHHFPZAM2'))
      return rows[0]!.fingerprint
    }),
  )
  assert.notEqual(prints[0], prints[1])
})

test('a tool that names files by absolute paths is told where the checkout was: its findings are the same from everywhere', async () => {
  const repository = 'sarif/root'
  const log = (folder: string) => ({ results: [{ path: `file://${folder}/src/a%20b.js` }] })
  const first = await send(repository, { root: '/ci/7/web' }, log('/ci/7/web'))
  assert.deepEqual([first.files[0].findings.raised, first.files[0].problems], [1, []])
  const elsewhere = await send(repository, { root: '/home/me/web/' }, log('/home/me/web'))
  assert.deepEqual(elsewhere.files[0].findings, {
    total: 1,
    raised: 0,
    reopened: 0,
    fixed: 0,
    inherited: 0,
    undetermined: 0,
    complete: true,
  })

  const raw = new URLSearchParams({ repository, ref: 'main', path: 'log.sarif', root: '/third' })
  const headers = { 'content-type': 'application/octet-stream' }
  const body = Buffer.from(sarifLog(log('/third')))
  const third = await sendBytes(gatehouse, body, { headers, path: `/raw?${raw}` })
  assert.deepEqual([third.status, third.body.files[0].findings.raised], [200, 0])

  // The same bytes, and it is now said what they mean: not a repetition.
  const untold = await send('sarif/untold', {}, log('/ci/7/web'))
  assert.deepEqual(untold.files[0].problems[0].code, 'absolute-paths')
  const told = await send('sarif/untold', { root: '/ci/7/web' }, log('/ci/7/web'))
  assert.deepEqual([told.repeated, told.files[0].findings.raised, told.files[0].findings.fixed], [false, 1, 1])
})
