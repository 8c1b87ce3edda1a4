import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { recount } from '../../capabilities/findings/public.ts'
import { searchAll } from '../../capabilities/findings/test-findings.ts'
import { semgrepDocument, semgrepFinding } from '../../formats/semgrep-results/test-results.ts'
import { ok, semgrepOf } from './test-run.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

const finding = semgrepFinding
const ofPullRequest = { branch: 'change', pull_request_id: '7', is_full_scan: false }

async function ignore(repository: string, filter: object = {}): Promise<void> {
  const body = { triageState: 'TRIAGE_STATE_IGNORED', filter: { repositories: [repository], ...filter } }
  ok(await gatehouse.call('POST', '/api/findings/1/findings/triage', { body }))
}

/** Puts a policy in force that blocks this rule. */
async function block(rule: string): Promise<void> {
  const policies = '/api/policies/v1/deployments/1/policies'
  const body = { name: `Block ${rule}`, productType: 'PRODUCT_TYPE_SAST', rules: [{ rule, mode: 'block' }] }
  const { policy } = ok(await gatehouse.call('POST', policies, { body }))
  ok(await gatehouse.call('PATCH', `${policies}/${policy.id}`, { body: { isDefault: true } }))
}

test('what a run finds is raised, and what it no longer finds is fixed', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/push')
  const ran = { searched: ['a.py', 'b.py'] }
  await run({ findings: [finding({ path: 'a.py' }), finding({ path: 'b.py' })], ran })
  assert.deepEqual(await states(), ['a.py python.eval OPEN', 'b.py python.eval OPEN'])
  await run({ findings: [finding({ path: 'b.py', line: 40 })], ran })
  assert.deepEqual(await states(), ['a.py python.eval FIXED', 'b.py python.eval OPEN'])
})

test('of rules that did not run, and of files that were not looked at or not to their end, nothing is fixed', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/incomplete')
  const findings = [
    finding({ path: 'same.py' }),
    finding({ path: 'same.py', check_id: 'python.exec' }),
    finding({ path: 'elsewhere.py' }),
    finding({ path: 'slow.py' }),
  ]
  const searched = ['same.py', 'elsewhere.py', 'slow.py']
  await run({ findings, ran: { rules: ['python.eval', 'python.exec'], searched } })
  await run({ ran: { rules: ['python.eval'], searched: ['same.py', 'slow.py'], skipped: ['slow.py'] } })
  assert.deepEqual(await states(), [
    'elsewhere.py python.eval ENDED',
    'same.py python.eval FIXED',
    'same.py python.exec OPEN',
    'slow.py python.eval OPEN',
  ])
})

test('what stood in a file that is not searched any more ends, says why, and comes back as what it was', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/deleted')
  const findings = [
    finding({ path: 'gone.py' }),
    finding({ path: 'gone.py', check_id: 'python.exec' }),
    finding({ path: 'ignored.py' }),
    finding({ path: 'kept.py' }),
  ]
  const ignores = [finding({ path: 'hushed.py' })]
  const rules = ['python.eval', 'python.exec']
  const searched = ['gone.py', 'ignored.py', 'hushed.py', 'kept.py']
  await run({ findings, ignores, ran: { rules, searched } })
  const known = await searchAll(gatehouse, { filter: { repositories: ['semgrep/deleted'] } })
  const idAt = (path: string) => known.find((one) => one.path === path && one.ruleId === 'python.eval')!.id
  await ignore('semgrep/deleted', { findingIds: [idAt('ignored.py')] })
  await run({ findings: [finding({ path: 'kept.py' })], ran: { searched: ['kept.py'] } })
  assert.deepEqual(await states(), [
    'gone.py python.eval ENDED',
    'gone.py python.exec OPEN',
    'hushed.py python.eval ENDED',
    'ignored.py python.eval IGNORED',
    'kept.py python.eval OPEN',
  ])
  const historyOf = async () => {
    const { history } = ok(await gatehouse.call('GET', `/api/findings/1/findings/${idAt('gone.py')}/history`))
    return history as { toState: string; note: string; scanId: number }[]
  }
  const ended = (await historyOf())[0]!
  assert.equal(ended.note, 'Its file was not searched by this scan: it was deleted, or is excluded now.')
  assert.ok(ended.scanId > 0)

  await run({ findings, ignores, ran: { rules, searched } })
  assert.deepEqual(await states(), [
    'gone.py python.eval REOPENED',
    'gone.py python.exec OPEN',
    'hushed.py python.eval PROVISIONALLY_IGNORED',
    'ignored.py python.eval IGNORED',
    'kept.py python.eval OPEN',
  ])
  const again = await searchAll(gatehouse, { filter: { repositories: ['semgrep/deleted'] } })
  assert.deepEqual(new Set(again.map(({ id }) => id)), new Set(known.map(({ id }) => id)))
  const passed = (await historyOf()).map(({ toState }) => toState.slice('TRIAGE_STATE_'.length))
  assert.deepEqual(passed.slice(0, 2), ['REOPENED', 'ENDED'])
})

test('a run that searched no file at all, and one of a pull request, end nothing on a branch', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/nothing')
  await run({ findings: [finding()] })
  await run({ ran: { searched: [] } })
  await run({ project: { ...ofPullRequest, is_full_scan: true }, ran: { searched: ['b.py'] } })
  assert.deepEqual(await states(), ['src/app.py python.eval OPEN'])
})

test('jobs that search parts of a branch by turns do not go on to end what the others found', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/parts')
  const part = (path: string) => run({ findings: [finding({ path })], ran: { searched: [path] } })
  for (const path of ['a.py', 'b.py', 'a.py', 'b.py']) await part(path)
  assert.deepEqual(await states(), ['a.py python.eval REOPENED', 'b.py python.eval REOPENED'])
  await part('a.py')
  assert.deepEqual(await states(), ['a.py python.eval REOPENED', 'b.py python.eval REOPENED'])
})

test('a scan of what changed on a branch fixes and ends nothing there', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/changes')
  await run({ findings: [finding(), finding({ path: 'b.py' })], ran: { searched: ['src/app.py', 'b.py'] } })
  await run({ project: { is_full_scan: false } })
  assert.deepEqual(await states(), ['b.py python.eval OPEN', 'src/app.py python.eval OPEN'])
})

test('a decision stays with its code when an equal match before it goes', async () => {
  const { run } = semgrepOf(gatehouse, 'semgrep/equal')
  const [first, second] = [finding({ code: 'a', line: 3 }), finding({ code: 'b', line: 9, number: 1 })]
  await run({ findings: [first, second] })
  const known = await searchAll(gatehouse, { filter: { repositories: ['semgrep/equal'] } })
  const states = async () => {
    const found = await searchAll(gatehouse, { filter: { repositories: ['semgrep/equal'] } })
    return Object.fromEntries(found.map(({ id, triageState }) => [id, triageState.slice('TRIAGE_STATE_'.length)]))
  }
  const lineOf = (one: object) => (one as { locations: { startLine: number }[] }).locations[0]!.startLine
  const kept = known.find((one) => lineOf(one) === 9)!
  await ignore('semgrep/equal', { findingIds: [kept.id] })
  await run({ findings: [finding({ code: 'b', line: 5, number: 0 })] })
  const other = known.find(({ id }) => id !== kept.id)!
  assert.deepEqual(await states(), { [kept.id]: 'IGNORED', [other.id]: 'FIXED' })
})

test('what a comment suppresses is ignored, and open again without the comment', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/suppressed')
  await run({ ignores: [finding()] })
  assert.deepEqual(await states(), ['src/app.py python.eval PROVISIONALLY_IGNORED'])
  await run({ findings: [finding()] })
  assert.deepEqual(await states(), ['src/app.py python.eval OPEN'])
})

test('a pull request is blocked by a policy, with our sentence, until it is ignored here', async () => {
  const { run, config, states } = semgrepOf(gatehouse, 'semgrep/blocked')
  await run({ ran: { searched: [] } })
  const findings = [finding({ line: 4 })]
  // One commit throughout, as where a job is run again.
  const project = { ...ofPullRequest, commit: 'abcdef1234' }
  const free = await run({ project, findings })
  assert.deepEqual([free.app_block_override, free.app_block_reason], [false, ''])
  await block('python.eval')
  const blocked = await run({ project, findings })
  assert.equal(blocked.app_block_override, true)
  assert.match(blocked.app_block_reason, /^Gatehouse blocks this, because of the policy for the rule 'python\.eval':\n/)
  assert.match(blocked.app_block_reason, /src\/app\.py:4 python\.eval: Do not use eval\. http.*\/d\/.*\/findings\/\d+/)
  assert.deepEqual(blocked.app_blocking_match_based_ids, [`${'e'.repeat(128)}_0`])
  await ignore('semgrep/blocked', { pullRequest: 7 })
  assert.deepEqual((await config(ofPullRequest)).triage_ignored_match_based_ids, [`${'e'.repeat(128)}_0`])
  const settled = await run({ project, findings })
  assert.deepEqual([settled.app_block_override, settled.app_blocking_match_based_ids], [false, []])
  assert.deepEqual(await states(7), ['src/app.py python.eval IGNORED'])
})

test('what a pull request no longer changes is fixed there, and stays on the branch', async () => {
  const { run, states } = semgrepOf(gatehouse, 'semgrep/undone')
  await run({ findings: [finding({ path: 'base.py' })], ran: { searched: ['base.py', 'src/app.py'] } })
  await run({ project: ofPullRequest, findings: [finding()] })
  await run({ project: ofPullRequest, ran: { searched: [] } })
  assert.deepEqual(await states(7), ['src/app.py python.eval FIXED'])
  assert.deepEqual(await states(), ['base.py python.eval OPEN'])
})

test('of several equal matches the client is told of a decision only if it is about all', async () => {
  const { run, config } = semgrepOf(gatehouse, 'semgrep/some')
  await run({ findings: [finding({ code: 'a' }), finding({ code: 'b', number: 1, line: 8 })] })
  const [one] = await searchAll(gatehouse, { filter: { repositories: ['semgrep/some'] } })
  await ignore('semgrep/some', { findingIds: [one!.id] })
  assert.deepEqual((await config()).triage_ignored_match_based_ids, [])
  await ignore('semgrep/some')
  const both = ['0', '1'].map((number) => `${'e'.repeat(128)}_${number}`)
  assert.deepEqual((await config()).triage_ignored_match_based_ids, both)
})

test('requests that are repeated have one effect', async () => {
  const { call, beginning } = semgrepOf(gatehouse, 'semgrep/again')
  const scan = beginning()
  const first = ok(await call('POST', '/api/cli/v2/scans', scan))
  assert.deepEqual(ok(await call('POST', '/api/cli/v2/scans', scan)), first)
  const scansOf = async () => {
    const { scans } = ok(await gatehouse.call('GET', '/api/scans/v1/deployments/1/scans'))
    return scans.filter(({ repository }: { repository: string }) => repository === 'semgrep/again').length
  }
  const path = `/api/agent/scans/${first.info.id}`
  for (const _ of [1, 2]) ok(await call('POST', `${path}/results`, semgrepDocument([finding()])))
  assert.equal(await scansOf(), 1)
  const answers = [1, 2].map(() => call('POST', `${path}/complete`, { exit_code: 0 }))
  assert.deepEqual(ok(await answers[0]!), ok(await answers[1]!))
  assert.equal(await scansOf(), 1)
})

test('what a run says it scans must be something that we can keep', async () => {
  const { call, beginning } = semgrepOf(gatehouse, 'semgrep/told')
  const refused = await call('POST', '/api/cli/v2/scans', beginning({ branch: 'HEAD' }))
  assert.equal(refused.status, 422)
  assert.match(refused.body, /Set SEMGREP_BRANCH to its name\./)
  assert.equal((await call('POST', '/api/cli/v2/scans', beginning({ repository: 'a\tb' }))).status, 422)
})

test('the rules of a run are asked for by the name that its client gave it', async () => {
  const { call, beginning } = semgrepOf(gatehouse, 'semgrep/config')
  const scan = beginning()
  const path = `/api/cli/v2/scans/${scan.scan_metadata.unique_id}/config`
  assert.equal((await call('GET', path)).status, 404)
  ok(await call('POST', '/api/cli/v2/scans', scan))
  const { status, config, engine_params: parameters } = ok(await call('GET', path))
  assert.deepEqual(
    [status, config.triage_ignored_match_based_ids, parameters],
    ['success', [], { dependency_query: false }],
  )
  const other = await gatehouse.addDeployment()
  assert.equal((await call('GET', path, undefined, other.as)).status, 404)
})

test('a dry run gets rules and no number to report under', async () => {
  const { call, beginning } = semgrepOf(gatehouse, 'semgrep/dry')
  const { info } = ok(await call('POST', '/api/cli/v2/scans', beginning({}, { dry_run: true })))
  assert.equal('id' in info, false)
})

test('what is looked for is what was asked for, and never what takes the proprietary engine', async () => {
  const { call, beginning } = semgrepOf(gatehouse, 'semgrep/products')
  const enabled = async (...wanted: string[]) =>
    ok(await call('POST', '/api/cli/v2/scans', beginning({}, { requested_products: wanted }))).info.enabled_products
  assert.deepEqual(await enabled(), ['sast', 'sca'])
  assert.deepEqual(await enabled('sca'), ['sca'])
  assert.deepEqual(await enabled('sast', 'secrets'), ['sast'])
  const engine = await call('GET', '/api/agent/deployments/deepbinary/manylinux?version=1.184.0')
  assert.equal(engine.status, 403)
  assert.match(engine.body, /--oss-only/)
})

test('a run that failed counts for nothing', async () => {
  const { call, start, run, states } = semgrepOf(gatehouse, 'semgrep/failed')
  await run({ findings: [finding()] })
  const id = await start()
  ok(await call('POST', `/api/agent/scans/${id}/error`, { exit_code: 2, stderr: '' }))
  assert.deepEqual(await states(), ['src/app.py python.eval OPEN'])
  assert.equal((await call('POST', '/api/agent/scans/987654321/error', { exit_code: 2 })).status, 404)
})

test('results come before completion, and broken ones are refused with a sentence', async () => {
  const { call, start } = semgrepOf(gatehouse, 'semgrep/order')
  const id = await start()
  const early = await call('POST', `/api/agent/scans/${id}/complete`, { exit_code: 0 })
  assert.deepEqual([early.status, early.body], [422, 'The results of this run have not come yet.'])
  const broken = await call('POST', `/api/agent/scans/${id}/results`, '{"findings":[{"check_id":')
  assert.equal(broken.status, 422)
  assert.match(broken.body, /^The results cannot be read: /)
})

test('a run is of its deployment, and takes the permission to upload', async () => {
  const { call, beginning, start } = semgrepOf(gatehouse, 'semgrep/own')
  const other = await gatehouse.addDeployment()
  const id = await start()
  const foreign = await call('POST', `/api/agent/scans/${id}/results`, semgrepDocument([]), other.as)
  assert.equal(foreign.status, 404)
  const reader = await gatehouse.addPerson('readonly')
  const refused = await call('POST', '/api/cli/v2/scans', beginning(), reader.token)
  assert.equal(refused.status, 403)
  assert.match(refused.body, /scans:write/)
  assert.equal((await call('POST', '/api/cli/v2/scans', beginning(), 'gth_nobody')).status, 401)
})

test('the links that the client prints lead to the console', async () => {
  const follow = async (path: string) => {
    const answer = await fetch(gatehouse.url + path, { redirect: 'manual' })
    return `${answer.status} ${answer.headers.get('location')}`
  }
  assert.equal(await follow('/orgs/acme/findings?repo=a/b&ref=main'), '302 /d/acme/findings?repo=a%2Fb')
  assert.equal(
    await follow('/orgs/acme/supply-chain/vulnerabilities?repo=a/b'),
    '302 /d/acme/findings?repo=a%2Fb&kind=sca',
  )
  assert.equal(await follow('/orgs/-/policies'), '302 /')
  assert.equal(await follow('/orgs/acme/settings/tokens'), '302 /d/acme/settings/tokens')
})

test('nobody is signed in by a link', async () => {
  const { call } = semgrepOf(gatehouse, 'semgrep/login')
  const page = await call('GET', '/login?cli-token=0b0a6a4e-0000-4000-8000-000000000000', undefined, '')
  assert.equal(page.status, 403)
  assert.match(page.body, /SEMGREP_APP_TOKEN/)
  const polled = await call('POST', '/api/agent/tokens/requests', { token_request_key: 'x' }, '')
  assert.equal(polled.status, 403)
})
