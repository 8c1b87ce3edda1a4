import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { issuesOf, ok } from '../test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)
const { deploymentId } = gatehouse.owner

const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`
async function addRepository(name: string): Promise<string> {
  return String((await ok(gatehouse.call('POST', repositories, { body: { name } }))).repository.id)
}
const web = await addRepository('web')
const api = await addRepository('api')

// Key, severity, day it was first seen, day it was last seen, repositories, state, reason.
type Line = [string, string, number, number, string[], string, string?]
const lines: Line[] = [
  ['alpha', 'CRITICAL', 1, 20, [web], 'OPEN'],
  ['Beta', 'LOW', 2, 19, [web, api], 'REVIEWING'],
  ['gamma', 'HIGH', 3, 18, [api], 'IGNORED', 'FALSE_POSITIVE'],
  ['delta 100%', 'HIGH', 4, 17, [], 'IGNORED', 'NO_TIME'],
  ['epsilon_alpha', 'INFO', 5, 16, [], 'FIXED'],
  ['zeta', 'CRITICAL', 6, 6, [api], 'OPEN'],
]
const day = (number: number) => `2026-05-${String(number).padStart(2, '0')}T00:00:00.000Z`
for (const [externalKey, severity, first, last, projectIds, state, reason] of lines) {
  const report = { externalKey, severity: `SEVERITY_${severity}`, projectIds }
  const [id] = await issues.report([{ ...report, observedAt: day(first) }])
  await issues.report([{ ...report, observedAt: day(last) }])
  if (state !== 'OPEN') await issues.triage(id!, `TRIAGE_STATE_${state}`, reason && `TRIAGE_REASON_${reason}`)
}
const newestFirst = lines.map(([key]) => key).reverse()
const states = (...names: string[]) => ({ triageStates: names.map((name) => `TRIAGE_STATE_${name}`) })
const severity = (...names: string[]) => ({ severities: names.map((name) => `SEVERITY_${name}`) })

const filters: [string, object, string[]][] = [
  ['nothing', {}, newestFirst],
  ['a state', states('OPEN'), ['zeta', 'alpha']],
  ['two states', states('FIXED', 'REVIEWING'), ['epsilon_alpha', 'Beta']],
  ['a state that none has', states('FIXING'), []],
  ['a reason', { triageReasons: ['TRIAGE_REASON_NO_TIME'] }, ['delta 100%']],
  ['no reason', { triageReasons: ['TRIAGE_REASON_UNSPECIFIED'] }, ['zeta', 'epsilon_alpha', 'Beta', 'alpha']],
  ['severities', severity('HIGH', 'INFO'), ['epsilon_alpha', 'delta 100%', 'gamma']],
  ['state and severity', { ...states('OPEN', 'IGNORED'), ...severity('HIGH') }, ['delta 100%', 'gamma']],
  ['a repository', { projectIds: [web] }, ['Beta', 'alpha']],
  ['repositories, each issue once', { projectIds: [web, api] }, ['zeta', 'gamma', 'Beta', 'alpha']],
  ['a repository and a severity', { projectIds: [api], ...severity('CRITICAL') }, ['zeta']],
  ['a repository that does not exist', { projectIds: ['987654'] }, []],
  ['text, in any case', { title: 'BETA' }, ['Beta']],
  ['text in the middle', { title: 'alph' }, ['epsilon_alpha', 'alpha']],
  ['text that is not a pattern', { title: '0%' }, ['delta 100%']],
  ['an underscore is an underscore', { title: 'n_a' }, ['epsilon_alpha']],
  ['text and a state', { title: 'alpha', ...states('OPEN') }, ['alpha']],
  ['from a day on', { createdAt: { since: day(4) } }, ['zeta', 'epsilon_alpha', 'delta 100%']],
  ['until a day, which is not in it', { createdAt: { until: day(4) } }, ['gamma', 'Beta', 'alpha']],
  ['a period', { createdAt: { since: day(2), until: day(4) } }, ['gamma', 'Beta']],
  ['last seen in a period', { lastDetectedAt: { since: day(17), until: day(19) } }, ['delta 100%', 'gamma']],
  ['both periods', { createdAt: { since: day(3) }, lastDetectedAt: { since: day(17) } }, ['delta 100%', 'gamma']],
  ['an offset', { createdAt: { since: '2026-05-06T02:00:00+02:00' } }, ['zeta']],
]

for (const [what, filter, expected] of filters) {
  test(`search by ${what}`, async () => {
    assert.deepEqual(await issues.search({ filter }), expected)
    assert.deepEqual(await issues.search({ filter, pageSize: 1 }), expected, 'one by one')
    const oldestFirst = await issues.search({ filter, sort: { direction: 'asc' }, pageSize: 2 })
    assert.deepEqual(oldestFirst, expected.toReversed())
  })
}

const sorts: [object, string[]][] = [
  [{}, newestFirst],
  [{ by: 'createdAt', direction: 'asc' }, newestFirst.toReversed()],
  [{ by: 'lastDetectedAt' }, ['alpha', 'Beta', 'gamma', 'delta 100%', 'epsilon_alpha', 'zeta']],
  [{ by: 'severity' }, ['zeta', 'alpha', 'delta 100%', 'gamma', 'Beta', 'epsilon_alpha']],
  [{ by: 'severity', direction: 'asc' }, ['epsilon_alpha', 'Beta', 'gamma', 'delta 100%', 'alpha', 'zeta']],
]

for (const [sort, expected] of sorts) {
  test(`sort ${JSON.stringify(sort)}, on pages of every size`, async () => {
    for (const pageSize of [1, 2, 3, 5, 6, 100]) assert.deepEqual(await issues.search({ sort, pageSize }), expected)
  })
}

test('counts are those of the same filter', async () => {
  const all = await issues.counts()
  assert.equal(all.total, lines.length)
  assert.deepEqual(all.byTriageState, {
    TRIAGE_STATE_OPEN: 2,
    TRIAGE_STATE_REOPENED: 0,
    TRIAGE_STATE_REVIEWING: 1,
    TRIAGE_STATE_FIXING: 0,
    TRIAGE_STATE_PROVISIONALLY_IGNORED: 0,
    TRIAGE_STATE_IGNORED: 2,
    TRIAGE_STATE_FIXED: 1,
  })
  assert.deepEqual(all.bySeverity, {
    SEVERITY_INFO: 1,
    SEVERITY_LOW: 1,
    SEVERITY_MEDIUM: 0,
    SEVERITY_HIGH: 2,
    SEVERITY_CRITICAL: 2,
  })
  const onlyCells = filters.filter(([, filter]) => !/title|created|lastDetected/.test(JSON.stringify(filter)))
  assert.ok(onlyCells.length > 8)
  for (const [what, filter, expected] of onlyCells) {
    assert.equal((await issues.counts(filter)).total, expected.length, what)
  }
})

test('a period that ends before it begins is refused', async () => {
  const filter = { createdAt: { since: day(2), until: day(2) }, lastDetectedAt: { since: day(3), until: day(2) } }
  const { status, body } = await issues.call('POST', '/issues/search', { filter })
  assert.equal(status, 400)
  assert.deepEqual(
    body.errors.map((error: { pointer: string }) => error.pointer),
    ['/filter/createdAt', '/filter/lastDetectedAt'],
  )
})

test('a cursor continues only the search it came from', async () => {
  const filter = states('OPEN', 'IGNORED')
  const page = (body: object, at = `${issues.base}/issues/search`, as = gatehouse.owner.token) =>
    gatehouse.call('POST', at, { as, body: { pageSize: 1, ...body } })
  const { cursor } = (await page({ filter })).body
  const fits: object[] = [
    { filter, cursor },
    { filter: { triageStates: filter.triageStates.toReversed() }, cursor },
    { filter, cursor, sort: { by: 'createdAt', direction: 'desc' } },
    { filter, cursor, pageSize: 100 },
  ]
  for (const body of fits) assert.equal((await page(body)).status, 200, JSON.stringify(body))
  const doesNot: object[] = [
    { filter: states('OPEN'), cursor },
    { cursor },
    { filter: { ...filter, title: 'a' }, cursor },
    { filter, cursor, sort: { by: 'severity' } },
    { filter, cursor, sort: { direction: 'asc' } },
    { filter, cursor: `${cursor}A` },
    { filter, cursor: cursor.slice(0, -2) },
    { filter, cursor: cursor.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A')) },
    { filter, cursor: '1' },
  ]
  for (const body of doesNot) {
    const answer = await page(body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.body.errors[0].pointer, '/cursor')
  }
  const other = await gatehouse.addDeployment()
  const elsewhere = await page({ filter, cursor }, `/api/issues/${other.id}/issues/search`, other.as)
  assert.equal(elsewhere.status, 400)
})

test('issues that come and change while somebody turns the pages move no other issue', async () => {
  const seen: string[] = []
  let cursor = ''
  for (let turn = 0; ; turn++) {
    const page = await ok(issues.call('POST', '/issues/search', { cursor, pageSize: 2, filter: { title: 'About' } }))
    seen.push(...page.issues.map((issue: { title: string }) => issue.title.replace('About ', '')))
    // A newcomer before the pages that are left, a change of what has been shown, and one of what is still to come.
    await issues.report([{ externalKey: `newcomer ${turn}`, observedAt: day(25) }])
    await issues.report([{ externalKey: 'zeta', severity: 'SEVERITY_LOW', projectIds: [api] }])
    await issues.report([{ externalKey: 'alpha', severity: 'SEVERITY_LOW', projectIds: [web] }])
    if (!page.hasMore) break
    cursor = page.cursor
  }
  assert.deepEqual(seen, newestFirst)
})
