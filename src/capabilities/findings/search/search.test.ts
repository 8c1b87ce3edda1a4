import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type FoundFinding, findingsPath, searchAll, sendLog } from '../test-findings.ts'

let gatehouse: TestGatehouse
let all: FoundFinding[]

const word = (at: number, words: string[]) => words[at % words.length]!

before(async () => {
  gatehouse = await openGatehouse()
  const results = Array.from({ length: 60 }, (_, at) => ({
    code: `call(${at})`,
    rule: at % 4 ? `rule-${at % 4}` : '',
    path: `${word(at, ['src', 'test', 'lib'])}/file-${at % 5}.js`,
    level: word(at, ['error', 'warning', 'note']),
    suppressed: at % 6 === 0,
    properties: { tags: [at % 2 ? 'external/cwe/cwe-079' : 'style', at % 3 ? 'GHSA-9wv6-86v2-598j' : 'CVE-2026-1234'] },
  }))
  await sendLog(gatehouse, 'search/one', results.slice(0, 30))
  await sendLog(gatehouse, 'search/two', results.slice(20), { tool: 'Other' })
  await sendLog(gatehouse, 'search/one', results.slice(5, 15), { ref: 'release' })
  await sendLog(gatehouse, 'search/one', results.slice(0, 25))
  const put = (path: string, body: object) => gatehouse.call('PATCH', path, { body })
  const list = await gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories')
  const two = list.body.repositories.find((one: { name: string }) => one.name === 'search/two')
  await put(`/api/repositories/v1/deployments/1/repositories/${two.id}`, { tags: ['paid'] })
  // Several at one moment, and moments apart.
  await gatehouse.db.transaction({ ...actor(), deploymentId: 1 }, (tx) =>
    tx.query(sql`with moved as materialized (
        select id, '2026-03-01T00:00:00Z'::timestamptz + (id / 7) * interval '1 day' as at from finding where deployment_id = 1)
      update finding f set raised_at = moved.at from moved where f.deployment_id = 1 and f.id = moved.id`),
  )
  all = (await gatehouse.call('POST', `${findingsPath()}/export`, { body: {} })).body.findings
})
after(() => gatehouse.close())

function actor() {
  return { personId: 1, tokenId: 0, role: 'owner' as const, permissions: new Set<never>(), requestId: 'test' }
}

type Whole = FoundFinding & {
  source: string
  cwes: string[]
  vulnerabilityIds: string[]
  product: string
  category: string
}
const filters: [filter: object, holds: (one: Whole) => boolean][] = [
  [{}, () => true],
  [{ triageStates: ['TRIAGE_STATE_FIXED'] }, (one) => one.triageState === 'TRIAGE_STATE_FIXED'],
  [
    { triageStates: ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_PROVISIONALLY_IGNORED'], severities: ['SEVERITY_LOW'] },
    (one) => one.triageState !== 'TRIAGE_STATE_FIXED' && one.severity === 'SEVERITY_LOW',
  ],
  [{ repositories: ['search/two'] }, (one) => one.repository === 'search/two'],
  [{ tags: ['paid', 'no-such'] }, (one) => one.repository === 'search/two'],
  [{ tags: ['no-such'] }, () => false],
  [{ refs: ['release'] }, (one) => one.ref === 'release'],
  [
    { sources: ['sarif:other'], ruleIds: ['rule-1', 'rule-2'] },
    (one) => one.source === 'sarif:other' && /[12]$/.test(one.ruleId),
  ],
  [{ ruleIds: ['', 'rule-3'] }, (one) => one.ruleId === '' || one.ruleId === 'rule-3'],
  [{ cwes: ['CWE-79'] }, (one) => one.cwes.includes('CWE-79')],
  [{ cwes: ['cwe-079'] }, (one) => one.cwes.includes('CWE-79')],
  [{ vulnerabilityIds: ['cve-2026-1234'] }, (one) => one.vulnerabilityIds.includes('CVE-2026-1234')],
  [{ vulnerabilityIds: ['ghsa-9WV6-86v2-598j'] }, (one) => one.vulnerabilityIds.includes('GHSA-9wv6-86v2-598j')],
  [{ pathPrefix: 'src/' }, (one) => one.path.startsWith('src/')],
  [{ text: 'CALL(1' }, (one) => one.message.includes('call(1')],
  [{ categories: ['security'] }, (one) => one.category === 'security'],
  [{ products: ['PRODUCT_TYPE_SECRETS'] }, () => false],
  [{ pullRequests: 'only' }, () => false],
  [{ pullRequests: 'none', silenced: false, malicious: false }, () => true],
  [
    { raisedAt: { since: '2026-03-04T00:00:00Z', until: '2026-03-06T00:00:00Z' } },
    (one) => one.raisedAt >= '2026-03-04' && one.raisedAt < '2026-03-06',
  ],
  [{ fixedAt: { since: '2020-01-01T00:00:00Z' } }, (one) => one.triageState === 'TRIAGE_STATE_FIXED'],
]

const weight = ['SEVERITY_INFO', 'SEVERITY_LOW', 'SEVERITY_MEDIUM', 'SEVERITY_HIGH', 'SEVERITY_CRITICAL']
const keys = {
  raisedAt: (one: FoundFinding) => [one.raisedAt, one.id.padStart(9, '0')],
  stateChangedAt: (one: FoundFinding) => [one.stateChangedAt, one.id.padStart(9, '0')],
  path: (one: FoundFinding) => [one.path, one.id.padStart(9, '0')],
  severity: (one: FoundFinding) => [String(weight.indexOf(one.severity)), one.raisedAt, one.id.padStart(9, '0')],
}

for (const [filter, holds] of filters) {
  test(`a search, and what is exported and counted: ${JSON.stringify(filter)}`, async () => {
    const expected = (all as Whole[]).filter(holds)
    for (const by of ['raisedAt', 'severity', 'stateChangedAt', 'path'] as const) {
      for (const direction of ['desc', 'asc'] as const) {
        const found = await searchAll(gatehouse, { filter, sort: { by, direction }, pageSize: 7 })
        const sorted = expected.toSorted((a, b) => (keys[by](a).join() < keys[by](b).join() ? -1 : 1))
        if (direction === 'desc') sorted.reverse()
        assert.deepEqual(
          found.map((one) => one.id),
          sorted.map((one) => one.id),
          `${by} ${direction}`,
        )
      }
    }
    const counts = await gatehouse.call('POST', `${findingsPath()}/counts`, { body: { filter } })
    assert.equal(counts.body.total, expected.length)
    const exported = await gatehouse.call('POST', `${findingsPath()}/export`, { body: { filter } })
    assert.deepEqual(
      exported.body.findings.map((one: FoundFinding) => one.id),
      expected.map((one) => one.id),
    )
  })
}

for (const by of ['repository', 'rule'] as const) {
  for (const filter of [{}, { severities: ['SEVERITY_LOW', 'SEVERITY_HIGH'] }, { repositories: ['search/two'] }]) {
    test(`by the name of the ${by}, the newest of each first: ${JSON.stringify(filter)}`, async () => {
      const name = (one: FoundFinding) => (by === 'rule' ? one.ruleId : one.repository)
      const expected = await searchAll(gatehouse, { filter })
      for (const direction of ['asc', 'desc'] as const) {
        const found = await searchAll(gatehouse, { filter, sort: { by, direction }, pageSize: 7 })
        const names = [...new Set(expected.map(name))].sort()
        if (direction === 'desc') names.reverse()
        assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort())
        assert.deepEqual([...new Set(found.map(name))], names, 'each name once, in order')
        const own = (one: FoundFinding & { source?: string }) => `${name(one)} ${by === 'rule' ? one.source : ''}`
        for (const several of Map.groupBy(found, own).values()) {
          const times = several.map(({ raisedAt }) => raisedAt)
          assert.deepEqual(times, times.toSorted().reverse())
        }
      }
    })
  }
}

test('repositories beyond the first few are asked too', async () => {
  const path = '/api/repositories/v1/deployments/1/repositories'
  const names = Array.from({ length: 150 }, (_, at) => `empty/${at}`)
  for (const part of [names.slice(0, 75), names.slice(75)])
    await Promise.all(part.map((name) => gatehouse.call('POST', path, { body: { name } })))
  const found = await searchAll(gatehouse, { sort: { by: 'repository', direction: 'asc' }, pageSize: 100 })
  assert.equal(found.length, all.length)
})

test('a cursor belongs to its question', async () => {
  const search = (body: object) =>
    gatehouse.call('POST', `${findingsPath()}/search`, { body: { pageSize: 5, ...body } })
  const { cursor } = (await search({})).body
  assert.notEqual(cursor, '')
  assert.equal((await search({ cursor, filter: {} })).status, 200)
  const wrong = [
    { cursor, sort: { by: 'severity' } },
    { cursor, filter: { severities: ['SEVERITY_LOW'] } },
    { cursor: `${cursor}A` },
    { cursor: 'x' },
  ]
  for (const body of wrong) assert.equal((await search(body)).status, 400, JSON.stringify(body))
  const other = await gatehouse.addDeployment()
  const foreign = await gatehouse.call('POST', `${findingsPath(other.id)}/search`, { as: other.as, body: { cursor } })
  assert.equal(foreign.status, 400)
})

test('a period that ends before it begins is refused', async () => {
  const filter = { raisedAt: { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' } }
  const answer = await gatehouse.call('POST', `${findingsPath()}/search`, { body: { filter } })
  assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/filter/raisedAt'])
})

test('784 searches for different words are a handful of statements to PostgreSQL', async () => {
  const words = Array.from(
    { length: 784 },
    (_, n) => 'prototype pollution '.repeat(25).slice(n % 28, 28 + (n % 471)) + n,
  )
  for (const text of words) {
    const filter = {
      text,
      ...(text.length % 2 && { pathPrefix: text }),
      ...(text.length % 3 && { cwes: [text.slice(-9)] }),
    }
    assert.equal((await gatehouse.call('POST', `${findingsPath()}/search`, { body: { filter } })).status, 200)
  }
  const [row] = await gatehouse.db.as(gatehouse.owner).query<{ searches: number; all: number }>(sql`
    select count(*) filter (where statement like '%finding_block%') as searches, count(*) as "all"
    from pg_prepared_statements`)
  assert.ok(row!.searches <= 8, `${row!.searches} statements to look for words`)
  assert.ok(row!.all <= 201, `${row!.all} statements on one connection`)
})
