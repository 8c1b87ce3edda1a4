import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { caller } from './gatehouse.ts'
import { poll, type RealProcess, root, startProcess } from './servers/real-process.ts'

const folder = temporaryFolder()
let demo: RealProcess
let call: ReturnType<typeof caller>
let jwt: string
let url: string

before(async () => {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', join(root, 'src/main.ts')]
  // The port that is asked for counts, not that of the environment, which nobody could use.
  demo = startProcess({ TMPDIR: folder, PORT: '1' }, [...command, 'demo', '--size', 'small', '--port', '0', '--json'])
  let over = false
  void demo.ended.then(() => (over = true))
  await poll('the demo is ready', () => over || demo.output().includes('\n'), 300_000)
  assert.ok(!over, demo.log())
  const told = JSON.parse(demo.output())
  assert.ok(told.url, told.error)
  url = told.url
  call = caller(told.url, told.token)
  const { email, password } = told
  jwt = (await call('POST', '/api/auth/login', { body: { email, password } })).body.accessToken
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function ask(method: string, path: string, body?: object, as?: string) {
  const answer = await call(method, path, { ...(body && { body }), ...(as && { as }) })
  assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const agent = '/api/agent/deployments/1'
const notifications = '/api/notifications/deployments/1'
const reports = '/api/reporting/1/reports'
const year = { filters: { timePeriod: { since: new Date(Date.now() - 370 * 86_400_000).toISOString() } } }

test('none of the nineteen endpoints answers with an empty list', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: each has a shape of its own
  const lists: Record<string, any[]> = {}
  const { packageManagerConfigsWithCredentials: registries } = await ask('GET', `${agent}/packagemanagerauthconfigs`)
  lists.E2 = registries
  const [{ config }] = registries
  const change = { packageManagerConfigForInsert: { config: { name: 'Our npm' } } }
  const changed = await ask('PATCH', `${agent}/packagemanagerauthconfigs/${config.id}`, change)
  lists.E1 = [changed.packageManagerConfig.name]
  lists.E3 = (await ask('POST', '/api/sca/deployments/1/repositories', {})).repositorySummaries
  lists.E4 = (await ask('POST', `${reports}/guardrails-activity`, year)).buckets
  const funnel = await ask('POST', `${reports}/funnel`, year)
  lists.E5 = Object.values(funnel.byProduct).filter((product) => (product as typeof funnel).allFindings > 0)
  const blocked = `${reports}/malware-firewall/blocked-mal-deps/by-dep-version-and-ecosystem`
  lists.E6 = (await ask('POST', blocked, year)).rows
  lists.E7 = (await ask('POST', `${reports}/malware-firewall/scan-activity`, year)).buckets
  lists.E8 = (await ask('POST', '/api/ai/deployments/1/memories/list', {})).memories
  const { issues } = await ask('POST', '/api/issues/1/issues/search', {})
  const triaged = await ask('POST', `/api/issues/1/issue/${issues[0].id}`, { triageState: 'TRIAGE_STATE_REVIEWING' })
  lists.E9 = triaged.data.projectIds
  const { teams } = await ask('GET', '/api/permissions/v2/deployments/1/teams')
  const { team } = await ask('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}`, {
    team: { name: 'Shop' },
  })
  lists.E10 = Array.from({ length: Math.min(Number(team.repositoryCount), Number(team.userCount)) })
  const { apps } = await ask('GET', '/api/scm/deployments/1/devops_apps')
  const { baseUrl, tenantId, organizationName } = apps[0]
  const another = { deploymentId: '1', baseUrl, tenantId, organizationName, projectName: 'Warehouse' }
  const clientId = '0d9a4f52-53c1-4f0e-9b55-0c5d7d6f3a11'
  const made = await ask('POST', '/api/scm/devops_app', { ...another, clientId })
  lists.E11 = [...apps, made.publicCertificatePem]
  const { ruleboards } = await ask('GET', `${agent}/ruleboards`)
  lists.E13 = ruleboards
  const own = ruleboards.find((board: { default: boolean }) => !board.default)
  const { name, assigned_repos } = own
  lists.E12 = (await ask('PUT', `${agent}/ruleboards/${own.slug}/overview`, { name, assigned_repos })).assigned_repos
  lists.E14 = (await ask('GET', `${notifications}/ticketing/v2`)).instances
  lists.E15 = (await ask('GET', '/api/policies/v1/deployments/1')).policies
  lists.E16 = (await ask('GET', `${notifications}/automations`)).automations
  lists.E17 = [(await ask('GET', `${agent}/chat/installations`, undefined, jwt)).app_id].filter(Boolean)
  lists.E18 = [(await ask('GET', `${agent}/chat/install`)).redirect_url].filter(Boolean)
  const { cloudsecCredentials } = await ask('GET', `${notifications}/cloudsec`)
  const credential = await ask('GET', `${notifications}/cloudsec/${cloudsecCredentials[0].id}`)
  lists.E19 = [credential.cloudsecCredential.clientId]
  assert.equal(Object.keys(lists).length, 19)
  assert.deepEqual(
    Object.entries(lists).filter(([, list]) => list.length === 0),
    [],
  )
})

test('findings come in a natural mix, some with a data flow, reachability, validity and code of several lines', async () => {
  const { total, bySeverity, byTriageState, byProduct } = await ask('POST', '/api/findings/1/findings/counts', {})
  assert.ok(total > 150)
  const share = (name: string) => bySeverity[`SEVERITY_${name}`] / total
  for (const name of ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']) assert.ok(share(name) > 0.01 && share(name) < 0.6)
  assert.ok(share('CRITICAL') < share('HIGH') && share('HIGH') < share('MEDIUM'), JSON.stringify(bySeverity))
  for (const state of ['PROVISIONALLY_IGNORED', 'IGNORED', 'FIXED', 'ENDED', 'REVIEWING', 'FIXING'])
    assert.ok(byTriageState[`TRIAGE_STATE_${state}`] > 0, state)
  for (const product of ['SAST', 'SCA', 'SECRETS']) assert.ok(byProduct[`PRODUCT_TYPE_${product}`] > 0, product)
  const findings: Finding[] = []
  for (let cursor = ''; ; ) {
    const page = await ask('POST', '/api/findings/1/findings/search', { pageSize: 100, ...(cursor && { cursor }) })
    findings.push(...page.findings)
    if (!page.hasMore) break
    cursor = page.cursor
  }
  assert.ok(findings.some(({ codeFlow }) => (codeFlow?.steps ?? 0) > 2))
  for (const word of ['REACHABLE', 'UNREACHABLE'])
    assert.ok(findings.some((one) => one.reachability.endsWith(`_${word}`)))
  for (const word of ['_VALID', '_INVALID']) assert.ok(findings.some((one) => one.validity.endsWith(word)))
  assert.ok(findings.some(({ malicious }) => malicious))
  assert.ok(findings.some(({ assignee }) => assignee !== null))
  const decided = findings.filter(({ decidedBy }) => decidedBy === 'DECIDER_PERSON')
  const months = new Set(decided.map(({ stateChangedAt }) => stateChangedAt.slice(0, 7)))
  assert.ok(months.size > 3, `people decided in ${[...months].join(', ')}`)
  assert.ok(decided.every(({ raisedAt, stateChangedAt }) => raisedAt <= stateChangedAt))
  const flow = findings.find(({ codeFlow }) => (codeFlow?.steps ?? 0) > 2)!
  const { detail } = await ask('GET', `/api/findings/1/findings/${flow.id}`)
  assert.ok(detail.flow.length > 2 && detail.surroundings && detail.rule.description)
})
type Finding = {
  id: string
  decidedBy: string
  raisedAt: string
  stateChangedAt: string
  assignee: object | null
} & { codeFlow: { steps: number } | null; reachability: string; validity: string; malicious: boolean }

test('the firewall was busy every day, and what turned out later is told', async () => {
  const daily = { filters: { ...year.filters, timeBucketSize: 'TIME_BUCKET_SIZE_DAY' } }
  // From midnight on: of a day that is cut, the busy part may be missing.
  daily.filters.timePeriod = { since: new Date(new Date().setUTCHours(0, 0, 0, 0) - 360 * 86_400_000).toISOString() }
  const { buckets } = await ask('POST', `${reports}/malware-firewall/scan-activity`, daily)
  type Day = { blockingScans: number; nonBlockingScans: number }
  const idle = buckets.filter((day: Day) => day.blockingScans + day.nonBlockingScans === 0)
  assert.ok(buckets.length >= 360 && idle.length === 0, `${idle.length} days without a request`)
  assert.ok(buckets.filter((day: Day) => day.blockingScans > 0).length > 60)
  const firewall = '/api/firewall/v1/deployments/1'
  const { exposures } = await ask('GET', `${firewall}/exposures`)
  const withdrawn = exposures.filter((one: { withdrawnAt: string | null }) => one.withdrawnAt !== null)
  assert.ok(exposures.length > withdrawn.length && withdrawn.length > 0)
  const { heldAdvisories } = await ask('GET', `${firewall}/held-advisories`)
  assert.deepEqual(heldAdvisories.map((one: { state: string }) => one.state).sort(), ['held', 'released'])
  const { overrides } = await ask('GET', `${firewall}/overrides`)
  const isOver = (one: { expiresAt: string | null }) => one.expiresAt !== null && Date.parse(one.expiresAt) < Date.now()
  assert.ok(overrides.some(isOver) && !overrides.every(isOver))
})

test('rules are in force, and of those who were refused some wait for a decision', async () => {
  const firewall = '/api/firewall/v1/deployments/1'
  const { mode, rules } = await ask('GET', `${firewall}/rules`)
  assert.ok(mode === 'enforce' && rules.length > 5)
  type Exception = { name: string; state: string; askerCount: number }
  const { exceptions } = await ask('GET', `${firewall}/exceptions`)
  const shown = exceptions.map(({ name, state, askerCount }: Exception) => [name, state, askerCount])
  assert.deepEqual(shown, [
    ['event-stream', 'rejected', 1],
    ['meadow-forecast', 'approved', 1],
    ['meadow-charts', 'open', 2],
  ])
  const held = { filter: { rules: ['rule_hold'] }, pageSize: 20 }
  const { events } = await ask('POST', `${firewall}/events/search`, held)
  const reasons = events.map((one: { name: string; reason: string }) => `${one.name}: ${one.reason}`)
  assert.ok(reasons.some((one: string) => /^meadow-charts: It gains an install script \(postinstall\)/.test(one)))
  assert.ok(reasons.some((one: string) => /^meadow-forecast: Versions younger than 24 hours/.test(one)))
})

test('names are claimed and seen, programs have accounts, and packages that are watched have news', async () => {
  const firewall = '/api/firewall/v1/deployments/1'
  const { claims } = await ask('GET', `${firewall}/package-claims`)
  const { names } = await ask('GET', `${firewall}/package-names`)
  assert.deepEqual(names.map(({ name }: { name: string }) => name).sort(), [
    '@meadow/design-tokens',
    '@meadow/http-client',
  ])
  assert.ok(claims.length > 2 && claims.some((claim: { registry: string | null }) => claim.registry !== null))
  const accounts = await ask('GET', '/api/service-accounts/v1/deployments/1/service-accounts')
  type Account = { tokenCount: number; lastUsedAt: string | null }
  assert.equal(accounts.serviceAccounts.filter((one: Account) => one.tokenCount > 0 && one.lastUsedAt).length, 2)
  assert.equal((await ask('GET', '/api/tokens/v1/deployments/1/ci-trusts')).trusts.length, 1)
  const { watches } = await ask('GET', '/api/sca/deployments/1/watched-packages')
  assert.ok(watches.some((one: { hasNews: boolean }) => one.hasNews))
})

test('a port that was free is the one that others are sent to', async () => {
  const { redirect_url: install } = await ask('GET', `${agent}/chat/install`)
  assert.equal(new URL(new URL(install).searchParams.get('redirect_uri')!).origin, url)
})

test('pull requests are blocked, tickets are there, channels are told', async () => {
  const { pullRequests } = await ask('GET', '/api/scans/v1/deployments/1/pull-requests?pageSize=100')
  const blocked = pullRequests.filter((one: { blocked: boolean }) => one.blocked)
  assert.ok(blocked.length > 1 && blocked.length < pullRequests.length, `${blocked.length} of ${pullRequests.length}`)
  let tickets: { state: string }[] = []
  await poll('the tickets are there', async () => {
    tickets = (await ask('GET', `${notifications}/tickets`)).tickets
    return tickets.length > 3 && tickets.every(({ state }) => state === 'TICKET_STATE_READY')
  })
  assert.equal((await ask('GET', `${agent}/chat/subscriptions`)).subscriptions.length, 2)
})

test('the funnel counts as many findings as it lists', async () => {
  const funnel = await ask('POST', `${reports}/funnel`, year)
  assert.ok(funnel.possiblyExploitable < funnel.allFindings)
  assert.ok(funnel.allFindings > 80 && funnel.priorityFindings > 0 && funnel.byProduct.sca.allFindings > 0)
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const page = await ask('POST', `${reports}/funnel/findings`, { ...year, stage: 'allFindings', cursor })
    ids.push(...page.findingIds)
    cursor = page.cursor
    if (!cursor) break
  }
  assert.equal(new Set(ids).size, funnel.allFindings)
})

test('it says where it is, shows how far it has come, and leaves nothing behind', async () => {
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d{4,5}$/)
  assert.match(demo.log(), /\d+ of \d+ scans/)
  demo.child.kill('SIGTERM')
  assert.equal(await demo.ended, 0, demo.log())
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('gatehouse-demo-')),
    [],
  )
})
