import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '../src/postgres/process/owner-process.ts'
import { caller } from './gatehouse.ts'
import { poll, type RealProcess, root, startProcess } from './real-process.ts'

const folder = temporaryFolder()
let demo: RealProcess
let call: ReturnType<typeof caller>
let jwt: string

before(async () => {
  const command = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(root, 'src/main.ts'),
    'demo',
    '--json',
  ]
  demo = startProcess({ TMPDIR: folder }, command)
  let over = false
  void demo.ended.then(() => (over = true))
  await poll('the demo is ready', () => over || demo.output().includes('\n'), 300_000)
  assert.ok(!over, demo.log())
  const told = JSON.parse(demo.output())
  assert.ok(told.url, told.error)
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

const reports = '/api/reporting/1/reports'
const year = { filters: { timePeriod: { since: new Date(Date.now() - 370 * 86_400_000).toISOString() } } }

test('every question of the interface has an answer made of what came in', async () => {
  const found = await ask('POST', '/api/sca/deployments/1/repositories', { dependencyFilter: { name: 'lodash' } })
  assert.ok(found.repositorySummaries.length > 5)
  const { buckets, totalOpened, totalFixed } = await ask('POST', `${reports}/guardrails-activity`, year)
  type Bucket = Record<'open' | 'fixed' | 'silenced', number>
  assert.ok(buckets.length >= 12 && buckets.filter((one: Bucket) => one.fixed > 0).length > 3)
  assert.ok(
    buckets.some((one: Bucket) => one.open > 0) && totalOpened > totalFixed,
    'some pull requests are open, some were merged as they were',
  )
  assert.ok(buckets.some((one: Bucket) => one.silenced > 0))
  const { byTriageState } = await ask('POST', '/api/findings/1/findings/counts', {})
  assert.ok(byTriageState.TRIAGE_STATE_PROVISIONALLY_IGNORED > 0 && byTriageState.TRIAGE_STATE_ENDED > 0)
  const activity = await ask('POST', `${reports}/malware-firewall/scan-activity`, { filters: {} })
  const today = activity.buckets.at(-1)
  assert.ok(today.blockingScans > 0 && today.nonBlockingScans > 0, JSON.stringify(today))
  const blocked = `${reports}/malware-firewall/blocked-mal-deps/by-dep-version-and-ecosystem`
  const { rows } = await ask('POST', blocked, { filters: {} })
  assert.deepEqual(rows.map((row: { dependency: string }) => row.dependency).sort(), ['expresss', 'meadow-colours'])
  const { memories } = await ask('POST', '/api/ai/deployments/1/memories/list', {})
  assert.ok(memories.length === 1 && Number(memories[0].preanalysisCounts.newlyFalsePositive) > 0)
  assert.equal((await ask('POST', '/api/issues/1/issues/search', {})).issues.length, 30)
  assert.equal((await ask('GET', '/api/notifications/deployments/1/ticketing/v2')).instances[0].isConfigured, true)
  assert.equal((await ask('GET', '/api/notifications/deployments/1/automations')).automations.length, 2)
  assert.equal((await ask('GET', '/api/agent/deployments/1/chat/installations', undefined, jwt)).archived, false)
  const { cloudsecCredentials } = await ask('GET', '/api/notifications/deployments/1/cloudsec')
  await ask('GET', `/api/notifications/deployments/1/cloudsec/${cloudsecCredentials[0].id}`)
})

test('the funnel counts as many findings as it lists', async () => {
  const funnel = await ask('POST', `${reports}/funnel`, year)
  assert.ok(funnel.possiblyExploitable < funnel.allFindings)
  assert.ok(funnel.allFindings > 100 && funnel.priorityFindings > 0 && funnel.byProduct.sca.allFindings > 0)
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const page = await ask('POST', `${reports}/funnel/findings`, { ...year, stage: 'allFindings', cursor })
    ids.push(...page.findingIds)
    cursor = page.cursor
    if (!cursor) break
  }
  assert.equal(new Set(ids).size, funnel.allFindings)
})

test('it leaves nothing behind', async () => {
  demo.child.kill('SIGTERM')
  assert.equal(await demo.ended, 0, demo.log())
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('gatehouse-demo-')),
    [],
  )
})
