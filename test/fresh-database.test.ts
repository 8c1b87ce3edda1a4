import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { createScanRetention } from '../src/capabilities/scans/retention.ts'
import { upload } from '../src/capabilities/scans/test-upload.ts'
import { systemActor } from '../src/kernel/access/actor.ts'
import { rowsNotCopied } from '../src/kernel/database/given-rows.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import type { Answer } from './gatehouse.ts'
import { openGatehouse } from './gatehouse.ts'
import { bill } from './inventory-fixture.ts'
import { existingIds, pathFor, sampleOf } from './sample-requests.ts'
import { indexesOf, rowsFrom, startRecordingCluster } from './watching/plan-recorder.ts'

/*
 * The first hour: a database that nobody has analysed yet, one large upload of each kind, then every list, search and report.
 * What is limited is the number of rows that a request may look at, because a plan that reads everything for every row is still
 * quick on small data, and no time says anything on a busy machine.
 */

const files = 60
const entries = 100
const results = 3_000
const reports = 500

const cluster = await startRecordingCluster()
const gatehouse = await openGatehouse({ env: { GATEHOUSE_REQUESTS_PER_MINUTE: '1000000' } })
after(async () => {
  await gatehouse.close()
  await cluster.stop()
})
const { deploymentId } = gatehouse.owner

/** What tasks do meanwhile. */
const background =
  /periodic_task|outbox|finding_block|finding_slice|not [ct]\.merged|with taken as|insert into inventory_licences|full join \(select \* from inventory_packages|insert into package_use|(insert into|delete from) firewall_refusal_s|firewall_refusal_span span on/

type Cost = Awaited<ReturnType<typeof rowsFor>>

/** How many rows the statements of a request looked at, and which of them the most. */
async function rowsFor(work: () => Promise<Answer>) {
  await cluster.executed()
  const answer = await work()
  const statements = (await cluster.executed()).filter(({ statement }) => !background.test(statement))
  const [most] = statements.toSorted((a, b) => b.rows - a.rows)
  return { rows: statements.reduce((sum, one) => sum + one.rows, 0), most: most?.statement ?? '', answer, statements }
}

/** Tasks that come round meanwhile are counted too, so what is too much once is asked again. */
async function rowsOf(work: () => Promise<Answer>, isLittle: (cost: Cost) => boolean): Promise<Cost> {
  let cost = await rowsFor(work)
  for (let again = 0; again < 2 && !isLittle(cost); again++) cost = await rowsFor(work)
  return cost
}

const inventory = (round: number) =>
  Object.fromEntries(
    Array.from({ length: files }, (_, file) => {
      const items = Array.from({ length: entries }, (_, entry) => ({
        name: `package-${(file * 37 + entry * 13) % 1_500}`,
        version: `${(file + entry) % 7}.${entry % 5}.${round}`,
        licence: ['MIT', 'ISC', 'Apache-2.0'][entry % 3]!,
        direct: entry < 10,
      }))
      return [`part-${file}/bom.json`, bill(items)]
    }),
  )

/** Results in many files by many rules; `moved` lines are what most uploads differ in. */
const log = (moved: number) =>
  sarifLog({
    results: Array.from({ length: results }, (_, n) => ({
      rule: `rule-${n % 60}`,
      path: `src/file-${n % 400}.js`,
      code: `call(${n})`,
      line: n + moved,
      level: n % 3 === 0 ? 'error' : 'warning',
    })),
  })

const pullRequest = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main', ref: 'change' }
const issues = Array.from({ length: reports }, (_, n) => ({
  externalKey: `key-${n}`,
  title: `Issue ${n}`,
  severity: 'SEVERITY_HIGH',
}))

const uploads: [what: string, rows: number, send: () => Promise<Answer>][] = [
  ['an inventory', files * entries, () => upload(gatehouse, { repository: 'large/one' }, inventory(0))],
  ['the next inventory', files * entries, () => upload(gatehouse, { repository: 'large/one' }, inventory(1))],
  ['a log', results, () => upload(gatehouse, { repository: 'large/one' }, { 'a.sarif': log(0) })],
  ['a log with moved lines', results, () => upload(gatehouse, { repository: 'large/one' }, { 'a.sarif': log(5) })],
  [
    'a log with moved lines again',
    results,
    () => upload(gatehouse, { repository: 'large/one' }, { 'a.sarif': log(9) }),
  ],
  [
    'a pull request',
    results,
    () => upload(gatehouse, { repository: 'large/one', ...pullRequest }, { 'a.sarif': log(5) }),
  ],
  [
    'another branch',
    results,
    () => upload(gatehouse, { repository: 'large/one', ref: 'release' }, { 'a.sarif': log(0) }),
  ],
  ['a clean log', results, () => upload(gatehouse, { repository: 'large/one' }, { 'a.sarif': sarifLog({}) })],
  ['the log is back', results, () => upload(gatehouse, { repository: 'large/one' }, { 'a.sarif': log(0) })],
  [
    'reported issues',
    reports,
    () => gatehouse.call('POST', `/api/issues/${deploymentId}/issues`, { body: { issues } }),
  ],
]

for (const [what, rows, send] of uploads) {
  test(`${what} costs its own size`, async () => {
    const cost = await rowsFor(send)
    assert.equal(cost.answer.status, 200, JSON.stringify(cost.answer.body).slice(0, 500))
    assert.ok(cost.rows < rows * 200, `${Math.round(cost.rows)} rows for ${rows}, most of them by: ${cost.most}`)
    if (what !== 'the next inventory') return
    const written = cost.statements.filter(({ statement }) => statement.includes('insert into dependency'))
    const indexes = written.flatMap(({ plan }) => indexesOf(plan, 'package_version'))
    assert.deepEqual(
      [...new Set(indexes)],
      ['package_version_version'],
      'versions are found by their number and package',
    )
  })
}

/** Exports, totals, and reports and groups without a filter on a period that all findings were raised in. */
const aboutEverything = new Set([
  'exportFindings',
  'exportDependencies',
  'groupFindings',
  'exportSbom',
  'getLicenceOverview',
  'reportGuardrailsActivity',
  'reportFunnel',
  'reportActivity',
  'reportBacklog',
  'reportTrends',
  'countDependencies',
  'searchPackages',
])

test('every list, search and report looks at no more than it has to', async () => {
  const ids = await existingIds(gatehouse, { id: deploymentId, as: gatehouse.owner.token })
  const repositories = await gatehouse.call('GET', `/api/repositories/v1/deployments/${deploymentId}/repositories`)
  const large = repositories.body.repositories.find((one: { name: string }) => one.name === 'large/one')
  const reading = gatehouse.served.filter(
    (one) => one.permission.endsWith(':read') && one.path.includes(':deploymentId'),
  )
  assert.ok(reading.length > 40)
  const tooMuch: Record<string, string> = {}
  for (const contract of reading) {
    const path = pathFor(contract, { ...ids, repositoryId: large.id })
    const body = contract.body ? { body: sampleOf(contract.body) } : {}
    const everything = files * entries + 2 * results
    // Trends look at every finding once for each week of a year.
    const share = contract.id === 'reportTrends' ? 60 : 16
    const limit = aboutEverything.has(contract.id) ? share * everything : 7_000
    const cost = await rowsOf(
      () => gatehouse.call(contract.method, path, body),
      ({ rows }) => rows <= limit,
    )
    assert.ok(cost.answer.status < 500, contract.id)
    if (cost.rows > limit) tooMuch[contract.id] = `${Math.round(cost.rows)} rows, most of them by: ${cost.most}`
  }
  assert.deepEqual(tooMuch, {})
})

test('activity reads what is counted of each day, and the backlog the day in which its median is', async () => {
  const timePeriod = { since: '2020-01-01T00:00:00Z', until: '2040-01-01T00:00:00Z' }
  const [there] = await gatehouse.db.as(systemActor(deploymentId, 'test')).query<{ backlog: number }>(
    sql`select count(*) filter (where pull_request = 0 and state <= 5) as backlog
      from finding where deployment_id = ${deploymentId}`,
  )
  assert.ok(there!.backlog > 0 && there!.backlog < results * 3, `${there!.backlog} of ${results * 3}`)
  for (const [report, most] of Object.entries({ activity: 0, backlog: there!.backlog / 2 })) {
    const path = `/api/reporting/${deploymentId}/reports/${report}`
    const tooMuch = ({ statements }: Cost) => statements.filter(({ plan }) => rowsFrom(plan, 'finding') > most)
    const cost = await rowsOf(
      () =>
        gatehouse.call('POST', path, { body: { filters: { timePeriod, timeBucketSize: 'TIME_BUCKET_SIZE_MONTH' } } }),
      (each) => tooMuch(each).length === 0,
    )
    assert.equal(cost.answer.status, 200, JSON.stringify(cost.answer.body))
    assert.deepEqual(
      tooMuch(cost).map(({ statement }) => statement),
      [],
      report,
    )
  }
})

test('what is overdue costs the days of its deadline, and not all that stands', async () => {
  const limits = { critical: null, high: 2, medium: 2, low: 2, info: 2 }
  const put = await gatehouse.call('PUT', `/api/findings/${deploymentId}/deadlines`, { body: limits })
  assert.equal(put.status, 200)
  await gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
    tx.query(sql`with old as materialized (
        select f.id, f.raised_at - interval '90 days' as at from finding f
        where f.deployment_id = ${deploymentId} and f.start_line % 50 <> 0)
      update finding f set raised_at = old.at from old where f.deployment_id = ${deploymentId} and f.id = old.id`),
  )
  const body = { filter: { overdue: true } }
  const path = `/api/findings/${deploymentId}/findings/counts`
  const counted = await rowsFor(() => gatehouse.call('POST', path, { body }))
  const [listed] = await gatehouse.db.as(systemActor(deploymentId, 'test')).query<{ count: number }>(
    sql`select count(*) as count from finding where deployment_id = ${deploymentId} and pull_request = 0 and state <= 4
      and raised_at < now() - interval '48 hours'`,
  )
  assert.equal(counted.answer.body.total, listed!.count)
  assert.ok(listed!.count > results, `${listed!.count} are overdue`)
  assert.ok(counted.rows < results / 2, `${counted.rows} rows, most of them by: ${counted.most}`)
})

test('a decision about what is on two branches costs the findings that it is about', async () => {
  const path = `/api/findings/${deploymentId}/findings/triage`
  const filter = {
    repositories: ['large/one'],
    ruleIds: Array.from({ length: 20 }, (_, n) => `rule-${n}`),
    refs: ['main'],
  }
  const decision = { triageState: 'TRIAGE_STATE_REVIEWING', filter }
  const { answer, statements } = await rowsFor(() => gatehouse.call('POST', path, { body: decision }))
  assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 500))
  const { length } = answer.body.changedFindingIds
  const [along, ...otherwise] = answer.body.sameOnOtherBranches
  assert.deepEqual([length, along.findingIds.length, otherwise.length], [results / 3, results / 3, 0])
  const [compared, ...more] = statements.filter(({ statement }) => statement.includes('s.ended_at is null offset 0'))
  assert.ok(compared && more.length === 0)
  assert.deepEqual([...new Set(indexesOf(compared.plan, 'finding'))].sort(), ['finding_identity', 'finding_pkey'])
  assert.equal(rowsFrom(compared.plan, 'finding'), 3 * length)
})

test('old scans are removed at a cost of their own number, of branches that ended too', async () => {
  const db = gatehouse.db
  const actor = systemActor(deploymentId, 'test')
  const scans = 3_000
  const days = 50
  const count = async () =>
    (
      await db.as(actor).query<{ number: number }>(sql`select count(*) as number from scan
      where deployment_id = ${deploymentId} and ref like 'ended-%'`)
    )[0]!.number
  // Two of each branch: the second replaced the first, and nothing replaced the second.
  await db.transaction(actor, (tx) =>
    tx.query(sql`insert into scan (deployment_id, repository_id, kind, ref, commit, digest, is_inventory, file_count,
        dependency_count, problem_count, receipt, person_id, token_id, created_at)
      select r.deployment_id, r.id, 'SCAN_KIND_FULL', 'ended-' || n / 2, '', sha256(n::text::bytea), false, 1, 0, 0, '{}', 1, 0,
        now() - make_interval(days => ${2 * days}) + make_interval(secs => n)
      from repository r, generate_series(0, ${scans - 1}::int) n where r.deployment_id = ${deploymentId} and r.name = 'large/one'`),
  )
  await cluster.executed()
  await createScanRetention({ db, clock: systemClock, days }).run()
  const removing = (await cluster.executed()).filter(({ statement }) => statement.includes('delete from scan'))
  assert.equal(await count(), scans / 2)
  const rows = removing.reduce((sum, one) => sum + one.rows, 0)
  assert.ok(removing.length > 0 && rows < scans * 50, `${Math.round(rows)} rows for ${scans} scans`)
})

test('a repository with many findings and comments is deleted without comparing each with each', async () => {
  const list = `/api/repositories/v1/deployments/${deploymentId}/repositories`
  const { repositories } = (await gatehouse.call('GET', list)).body
  const large = repositories.find((one: { name: string }) => one.name === 'large/one')
  await gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
    tx.query(sql`insert into discussion_entry (deployment_id, kind, subject_id, what, author_id, author_name, token_id)
      select deployment_id, 'finding', id, 'comment', 1, 'Somebody', 0 from finding
      where deployment_id = ${deploymentId} and repository_id = ${large.id} ${rowsNotCopied}`),
  )
  const deleted = await rowsFor(() => gatehouse.call('DELETE', `${list}/${large.id}`))
  assert.equal(deleted.answer.status, 200, JSON.stringify(deleted.answer.body))
  const ofDiscussions = deleted.statements.filter(({ statement }) =>
    /^delete from (discussion_entry|subject_a)/.test(statement),
  )
  assert.equal(ofDiscussions.length, 2)
  for (const { statement, rows, plan } of ofDiscussions) {
    assert.ok(rows < results * 10, `${Math.round(rows)} rows by ${statement}`)
    // A list that PostgreSQL does not know when it plans is gone through for every row.
    assert.doesNotMatch(JSON.stringify(plan), /ANY \(\$/, statement)
  }
})
