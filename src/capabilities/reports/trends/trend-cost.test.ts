import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { ask } from '../../../../test/reports/report-answers.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { sendLog } from '../../findings/test-findings.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { upload } from '../../scans/test-upload.ts'
import { countByDays } from '../activity-store.ts'
import { countEver, countFixesByDays, countGroupsByDays, countStandingByDays } from './day-store.ts'
import { countGroups } from './trend-store.ts'

const gatehouse = await openGatehouse({ jobs: false })
after(() => gatehouse.close())
const findings = Array.from({ length: 3_000 }, (_, n) => ({ code: `c${n}`, path: `src/f${n}.js` }))
await sendLog(gatehouse, 'shop/large', findings)
await sendLog(gatehouse, 'shop/large', findings.slice(1_000))

const dayMs = 86_400_000
const tomorrow = new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs)
const buckets = [{ since: new Date(tomorrow.getTime() - 90 * dayMs), until: tomorrow }]

test('whole days are counted without reading a finding, on tables that nobody has analysed', async () => {
  const counting = countRows(gatehouse.db.as({ deploymentId: 1 }))
  assert.equal(await countEver(counting, undefined), 3_000)
  assert.deepEqual(await countStandingByDays(counting, undefined, [buckets[0]!.since, tomorrow]), [
    { open: 0, ever: 0 },
    { open: 2_000, ever: 3_000 },
  ])
  assert.equal((await countFixesByDays(counting, undefined, buckets))![0]!.fixed, 1_000)
  const groups = await countGroupsByDays(counting, undefined, { by: 'repository', at: tomorrow, buckets })
  assert.deepEqual(
    groups!.map(({ open, fixed }) => [open, fixed]),
    [[2_000, 1_000]],
  )
  const all = { repositories: undefined, rules: undefined, categories: undefined }
  const [activity] = (await countByDays(counting, all, buckets, true))!
  assert.deepEqual([activity!.opened, activity!.fixed], [3_000, 1_000])
  assert.equal(counting.rowsOf('finding'), 0)
})

test('plans that are kept look findings up, also where most deployments are much smaller than this one', async () => {
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  try {
    await addSmallDeployments(admin, 300)
    await admin.query('set role gatehouse_app')
    const statements = new Set<string>()
    const reader = gatehouse.db.as({ deploymentId: 1 })
    const noting = {
      ...reader,
      query: <Row>(statement: Sql) => {
        statements.add(statement.text)
        return reader.query<Row>(statement)
      },
    }
    const [some, now] = [[1], new Date()]
    const ragged = [{ since: new Date(now.getTime() - 90 * dayMs), until: now }]
    for (const repositories of [undefined, some]) {
      await countStandingByDays(noting, repositories, [ragged[0]!.since, now])
      await countFixesByDays(noting, repositories, ragged)
      await countGroupsByDays(noting, repositories, { by: 'repository', at: now, buckets: ragged })
      const wanted = { repositories, rules: undefined, categories: undefined }
      await countByDays(noting, wanted, ragged, true)
      for (const by of ['repository', 'team', 'tag'] as const) {
        await countGroups(noting, { ...wanted, rate: 256 }, { by, at: now, buckets: ragged })
      }
    }
    for (const statement of statements) {
      const { rows } = await admin.query(`explain (generic_plan, format json) ${statement}`)
      const conditions = conditionsOn('finding', rows[0]['QUERY PLAN'][0].Plan)
      for (const condition of conditions) assert.match(condition, /\bid = |raised_at|state_at/, statement)
      assert.doesNotMatch(JSON.stringify(rows), /"Join Filter": *"[^"]*repository_id/, statement)
    }
  } finally {
    await admin.end()
  }
})

test('few old findings beside very many have their age, and what no sample has an unknown median', async () => {
  const [old, more] = [
    findings.slice(0, 5),
    Array.from({ length: 7_100 }, (_, n) => ({ code: `m${n}`, path: `m${n}.js` })),
  ]
  const sent = await upload(
    gatehouse,
    { repository: 'shop/old', performedAt: '2025-08-01T00:00:00Z' },
    { 'a.sarif': sarifLog({ tool: 'Tester', results: old }) },
  )
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await sendLog(gatehouse, 'shop/many', more)
  const timePeriod = { since: '2025-07-01T00:00:00Z', until: new Date().toISOString() }
  const trends = await ask(gatehouse, 'trends', { filters: { timePeriod, timeBucketSize: 'TIME_BUCKET_SIZE_MONTH' } })
  assert.equal(trends.mediansOf, 16)
  assert.deepEqual(trends.points.slice(0, 3), [
    { at: '2025-07-31T23:59:59.999Z', open: 0, medianAgeSeconds: 0, medianAgeKnown: true },
    { at: '2025-08-31T23:59:59.999Z', open: 5, medianAgeSeconds: 31 * 86_400 - 1, medianAgeKnown: true },
    { at: '2025-09-30T23:59:59.999Z', open: 5, medianAgeSeconds: 61 * 86_400 - 1, medianAgeKnown: true },
  ])
  const undrawn = await gatehouse.db.as({ deploymentId: 1 }).query<{ path: string }>(sql`select f.path from finding f
    join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id and r.name = 'shop/old'
    where f.deployment_id = 1 and hashint8(f.id) & 15 <> 0`)
  await sendLog(gatehouse, 'shop/many', [])
  await sendLog(gatehouse, 'shop/large', [])
  await sendLog(
    gatehouse,
    'shop/old',
    old.filter((each) => undrawn.some(({ path }) => path === each.path)),
  )
  const last = (await ask(gatehouse, 'trends', {})).points.at(-1)
  assert.ok(last.open > 0)
  assert.deepEqual(last, { at: last.at, open: undrawn.length, medianAgeSeconds: 0, medianAgeKnown: false })
})

/** Of ten findings each, which statistics know of. */
async function addSmallDeployments(admin: pg.Client, count: number): Promise<void> {
  const { rows } = await admin.query(
    `insert into deployment (name, slug) select 'Small ' || n, 'small-' || n from generate_series(1, $1::integer) n returning id`,
    [count],
  )
  const ids = [rows.map(({ id }) => id)]
  await admin.query(
    `insert into repository (deployment_id, name, default_branch) select unnest($1::bigint[]), 'shop/small', 'main'`,
    ids,
  )
  await admin.query(
    `insert into finding_rule (deployment_id, source, external_id, name, title)
      select unnest($1::bigint[]), 'sarif:small', 'rule', '', 'Rule'`,
    ids,
  )
  await admin.query(
    `insert into finding_stream (deployment_id, repository_id, pull_request, ref, source, scan_id)
      select deployment_id, id, 0, 'main', 'sarif:small', 0 from repository where deployment_id = any($1)`,
    ids,
  )
  await admin.query(
    `insert into finding (deployment_id, repository_id, stream_id, rule_id, fingerprint, pull_request, product, category, severity,
        confidence, reachability, validity, verdict, malicious, silenced, exposed, state, raised_at, state_at, scan_id, start_line,
        path, title, message, cwes, vulnerability_ids, content, digest)
      select s.deployment_id, s.repository_id, s.id, rule.id, 'small-' || n, 0, 1, 1, 1, 1, 1, 1, 0, false, false, false, 1, now(),
        now(), 1, n, 'src/small.ts', 'A flaw', 'It is small.', '{}', '{}', '{}', ''
      from finding_stream s join finding_rule rule on rule.deployment_id = s.deployment_id, generate_series(1, 10) n
      where s.deployment_id = any($1)`,
    ids,
  )
  await admin.query('analyze')
}

type PlanNode = { 'Relation Name'?: string; 'Index Cond'?: string; 'Recheck Cond'?: string; Plans?: PlanNode[] }

/** By what each node of a plan looks into a table; '' where it reads all of it. */
function conditionsOn(table: string, node: PlanNode): string[] {
  const own = node['Relation Name'] === table ? [node['Index Cond'] ?? node['Recheck Cond'] ?? ''] : []
  return [...own, ...(node.Plans ?? []).flatMap((below) => conditionsOn(table, below))]
}
