import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { upload } from '../../scans/test-upload.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'
import { sarifLog } from '../test-log.ts'
import type { Facet, FindingGroup } from './group-contract.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const path = findingsPath()
const teams = '/api/permissions/v2/deployments/1/teams'
const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
const member = await gatehouse.addPerson('member')
const made = await gatehouse.call('POST', teams, { body: { team: { name: 'Ours' } } })
const scan = await sendLog(gatehouse, 'team/ours', [
  { code: 'a', rule: 'one', path: 'src/a.js', level: 'error' },
  { code: 'b', rule: 'one', path: 'src/b.js', level: 'note' },
  { code: 'c', rule: 'two', path: 'src/a.js', level: 'warning' },
])
await sendLog(gatehouse, 'team/theirs', [
  { code: 'd', rule: 'one', path: 'src/d.js', level: 'error' },
  { code: 'e', rule: 'hidden', path: 'src/secret-name.js', level: 'error' },
])
const pull = { repository: 'team/ours', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main', ref: 'change' }
await upload(gatehouse, pull, { 'a.sarif': sarifLog({ results: [{ code: 'new', rule: 'pulled', path: 'src/p.js' }] }) })
const change = {
  users: [{ userId: member.id, action: 'UPDATE_ACTION_ADD' }],
  repositories: [{ repositoryId: scan.body.scan.repositoryId, action: 'UPDATE_ACTION_ADD' }],
}
await gatehouse.call('PATCH', `${teams}/${made.body.team.id}`, { body: { team: change } })
await gatehouse.call('PATCH', `/api/repositories/v1/deployments/1/repositories/${scan.body.scan.repositoryId}`, {
  body: { publiclyExposed: true, tags: ['web'] },
})
const all = await searchAll(gatehouse)
const decided = all.find((one) => one.ruleId === 'two')!
await gatehouse.call('POST', `${path}/${decided.id}`, {
  as: gatehouse.owner.jwt,
  body: { triageState: 'TRIAGE_STATE_REVIEWING' },
})

async function facets(body: object, as = gatehouse.owner.token): Promise<Record<string, Record<string, number>>> {
  const answer = await gatehouse.call('POST', `${path}/facets`, { as, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const counts = ({ values }: Facet) => Object.fromEntries(values.map(({ value, count }) => [value, count]))
  return Object.fromEntries(answer.body.facets.map((facet: Facet) => [facet.field, counts(facet)]))
}

async function groups(body: object, as = gatehouse.owner.token): Promise<FindingGroup[]> {
  const found: FindingGroup[] = []
  for (let cursor = ''; ; ) {
    const answer = await gatehouse.call('POST', `${path}/groups`, { as, body: { pageSize: 2, ...body, cursor } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    found.push(...answer.body.groups)
    if (!answer.body.hasMore) return found
    cursor = answer.body.cursor
  }
}

/** The same findings by search, counts, export and triage; sorted rules of them. */
async function rulesBy(filter: object): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter })
  const bySeverity = await searchAll(gatehouse, { filter, sort: { by: 'severity' } })
  const exported = (await gatehouse.call('POST', `${path}/export`, { body: { filter } })).body.findings
  const { total } = (await gatehouse.call('POST', `${path}/counts`, { body: { filter } })).body
  const ids = (list: { id: string }[]) => list.map(({ id }) => id).sort()
  assert.deepEqual(ids(bySeverity), ids(found))
  assert.deepEqual(ids(exported), ids(found))
  assert.equal(total, found.length)
  return found.map(({ ruleId }) => ruleId).sort()
}

test('every new part of the filter means the same in search, counts and export', async () => {
  const scanId = String(scan.body.scan.id)
  const cases: [object, string[]][] = [
    [{ findingIds: [decided.id, '999999'] }, ['two']],
    [{ teams: ['ours'] }, ['one', 'one', 'pulled', 'two']],
    [{ teams: ['Ours'], severities: ['SEVERITY_HIGH'] }, ['one', 'pulled']],
    [{ publiclyExposed: false }, ['hidden', 'one']],
    [{ scanIds: [scanId] }, ['one', 'one', 'two']],
    [{ decidedBy: ['DECIDER_PERSON'] }, ['two']],
    [{ hasTicket: true }, []],
    [{ hasTicket: false, ruleIds: ['two'] }, ['two']],
    [{ owasp: ['A03:2021'] }, []],
    [{ dependency: { name: 'lodash' } }, []],
    [{ paths: ['src/a.js'] }, ['one', 'two']],
    [{ not: { ruleIds: ['one'], severities: ['SEVERITY_MEDIUM'] } }, ['hidden', 'pulled']],
    [{ not: { repositories: ['team/theirs'] }, pullRequests: 'none' }, ['one', 'one', 'two']],
    [{ not: { raisedAt: { since: '2000-01-01T00:00:00Z' } } }, []],
    [{ not: { findingIds: [decided.id] }, teams: ['ours'] }, ['one', 'one', 'pulled']],
  ]
  for (const [filter, expected] of cases) assert.deepEqual(await rulesBy(filter), expected, JSON.stringify(filter))
  const backwards = { not: { raisedAt: { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' } } }
  const refused = await gatehouse.call('POST', `${path}/search`, { body: { filter: backwards } })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer.startsWith('/filter/not/raisedAt')], [400, true])
})

test('a number of the funnel and of guardrails is exactly the list behind it', async () => {
  const reports = '/api/reporting/1/reports'
  const idsOf = async (url: string, body: object) =>
    (await gatehouse.call('POST', `${reports}/${url}`, { body })).body.findingIds.sort()
  const searched = async (filter: object) => (await searchAll(gatehouse, { filter })).map(({ id }) => id).sort()
  let counted = 0
  for (const stage of ['allFindings', 'possiblyExploitable', 'internetExposed', 'priorityFindings']) {
    for (const product of [undefined, 'code', 'sca', 'secrets']) {
      const behind = await idsOf('funnel/findings', { stage, ...(product ? { product } : {}) })
      assert.deepEqual(
        await searched({ stage, ...(product ? { stageProduct: product } : {}) }),
        behind,
        `${stage} ${product}`,
      )
      counted += behind.length
    }
  }
  for (const figure of ['silenced', 'open', 'fixed', 'ignored', 'provisionallyIgnored', 'totalOpened', 'totalFixed']) {
    const behind = await idsOf('guardrails-activity/findings', { figure })
    assert.deepEqual(await searched({ guardrailsFigure: figure }), behind, figure)
    counted += behind.length
  }
  assert.ok(counted > 10)
})

test('facets count each field without its own part of the filter', async () => {
  const filter = { severities: ['SEVERITY_HIGH'], pullRequests: 'none' }
  const found = await facets({ filter, fields: ['severities', 'repositories', 'ruleIds', 'tags', 'teams', 'paths'] })
  assert.deepEqual(found, {
    severities: { SEVERITY_HIGH: 3, SEVERITY_LOW: 1, SEVERITY_MEDIUM: 1 },
    repositories: { 'team/theirs': 2, 'team/ours': 1 },
    ruleIds: { one: 2, hidden: 1 },
    tags: { web: 1 },
    teams: { ours: 1 },
    paths: { 'src/a.js': 1, 'src/d.js': 1, 'src/secret-name.js': 1 },
  })
  const counted = await facets({
    fields: ['triageStates', 'decidedBy', 'refs', 'products'],
    filter: { text: 'Finding' },
  })
  assert.deepEqual(Object.keys(counted).sort(), ['decidedBy', 'products', 'refs', 'triageStates'])
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, one) => total + one, 0)
  const every = await facets({ fields: ['triageStates', 'decidedBy', 'refs', 'products', 'sources'] })
  for (const [field, counts] of Object.entries(every)) assert.equal(sum(counts), all.length, field)
  assert.equal(every.triageStates!.TRIAGE_STATE_REVIEWING, 1)
})

test('facets count a finding once for each team that it is found by, those above included', async () => {
  const add = async (team: object) => (await gatehouse.call('POST', teams, { body: { team } })).body.team
  const top = await add({ name: 'Top' })
  const middle = await add({ name: 'Middle', parentTeamId: top.id })
  const bottom = await add({ name: 'Bottom', parentTeamId: middle.id })
  const { repositories } = change
  for (const { id } of [top, bottom]) {
    const given = await gatehouse.call('PATCH', `${teams}/${id}`, { body: { team: { repositories } } })
    assert.equal(given.status, 200, JSON.stringify(given.body))
  }
  const { teams: counts } = await facets({ fields: ['teams'] })
  assert.deepEqual(Object.keys(counts!).sort(), ['bottom', 'middle', 'ours', 'top'])
  for (const [team, count] of Object.entries(counts!)) {
    assert.equal(count, (await searchAll(gatehouse, { filter: { teams: [team] } })).length, team)
  }
})

test('facets complete what is typed, and only so much', async () => {
  assert.deepEqual(await facets({ fields: ['paths'], contains: 'SRC/B' }), { paths: { 'src/b.js': 1 } })
  assert.deepEqual(await facets({ fields: ['severities'], contains: 'hig' }), { severities: { SEVERITY_HIGH: 4 } })
  const cut = await gatehouse.call('POST', `${path}/facets`, { body: { fields: ['paths'], limit: 2 } })
  assert.deepEqual([cut.body.facets[0].values.length, cut.body.facets[0].hasMore], [2, true])
})

test('groups are counted, ordered, paged and lead to exactly their findings', async () => {
  for (const by of ['rule', 'repository', 'path'] as const) {
    for (const sort of ['severity', 'count', 'oldest'] as const) {
      const found = await groups({ by, sort })
      assert.equal(new Set(found.map(({ value }) => value)).size, found.length)
      assert.equal(
        found.reduce((sum, { total }) => sum + total, 0),
        all.length,
        `${by} ${sort}`,
      )
      for (const group of found) {
        const inside = await searchAll(gatehouse, { filter: group.filter })
        assert.equal(inside.length, group.total)
        assert.equal(group.repositories, new Set(inside.map(({ repository }) => repository)).size)
        const oldest = inside.map(({ raisedAt }) => raisedAt).sort()[0]
        assert.equal(group.oldestRaisedAt, oldest)
      }
      if (sort === 'count')
        assert.deepEqual(
          found.map(({ total }) => total),
          found.map(({ total }) => total).sort((a, b) => b - a),
        )
    }
  }
  const [first] = await groups({ by: 'rule' })
  assert.deepEqual([first!.value, first!.total, first!.worstSeverity], ['one', 3, 'SEVERITY_HIGH'])
  assert.deepEqual([first!.bySeverity.SEVERITY_HIGH, first!.bySeverity.SEVERITY_LOW], [2, 1])
  assert.deepEqual(await groups({ by: 'vulnerability' }), [])
  const foreign = await gatehouse.call('POST', `${path}/groups`, { body: { by: 'rule', pageSize: 1 } })
  const other = await gatehouse.call('POST', `${path}/groups`, { body: { by: 'path', cursor: foreign.body.cursor } })
  assert.equal(other.status, 400)
})

test('findings about dependencies are grouped and counted by package and vulnerability', async () => {
  const about = (name: string, version: string, rule: string, path: string) => ({
    rule,
    path,
    code: `"${name}": "${version}"`,
    message: `Package '${name}@${version}' is vulnerable to ${rule}`,
  })
  const results = [
    about('minimist', '1.2.0', 'CVE-2021-44906', 'package-lock.json'),
    about('minimist', '1.1.0', 'CVE-2021-44906', 'web/package-lock.json'),
    about('lodash', '4.0.0', 'CVE-2021-23337', 'package-lock.json'),
  ]
  await sendLog(gatehouse, 'team/ours', results, { tool: 'Dependencies' })
  const packages = await groups({ by: 'package' })
  assert.deepEqual(
    packages.map(({ value, label, total }) => [value, label, total]),
    [
      ['minimist', 'npm', 2],
      ['lodash', 'npm', 1],
    ],
  )
  const vulnerabilities = await groups({ by: 'vulnerability' })
  assert.deepEqual(
    vulnerabilities.map(({ value, total }) => [value, total]),
    [
      ['CVE-2021-44906', 2],
      ['CVE-2021-23337', 1],
    ],
  )
  for (const group of [...packages, ...vulnerabilities])
    assert.equal((await searchAll(gatehouse, { filter: group.filter })).length, group.total, group.value)
  const typed = { dependencies: 'min', vulnerabilityIds: 'cve-2021-449' }
  assert.deepEqual(await facets({ fields: ['dependencies'], contains: typed.dependencies }), {
    dependencies: { minimist: 2 },
  })
  const ids = await facets({ fields: ['vulnerabilityIds'], contains: typed.vulnerabilityIds })
  assert.deepEqual(ids, { vulnerabilityIds: { 'CVE-2021-44906': 2 } })
  assert.equal(
    (await searchAll(gatehouse, { filter: { dependency: { name: 'minimist', version: '1.1.0' } } })).length,
    1,
  )
})

test('what a member does not see is neither counted, completed nor grouped', async () => {
  const as = member.token
  const found = await facets({ fields: ['repositories', 'ruleIds', 'paths', 'severities'], contains: 'e' }, as)
  assert.ok(!JSON.stringify(found).includes('hidden') && !JSON.stringify(found).includes('theirs'))
  assert.deepEqual(await facets({ fields: ['paths', 'ruleIds'], contains: 'secret-name' }, as), {
    paths: {},
    ruleIds: {},
  })
  const seen = (await searchAll(gatehouse, {}, as)).length
  for (const by of ['rule', 'repository']) {
    const grouped = await groups({ by }, as)
    assert.equal(
      grouped.reduce((sum, { total }) => sum + total, 0),
      seen,
      by,
    )
  }
  assert.ok(!(await groups({ by: 'repository' }, as)).some(({ value }) => value === 'team/theirs'))
})

test('who decided is named, where it is a person', async () => {
  const [found] = await searchAll(gatehouse, { filter: { findingIds: [decided.id] } })
  const { name } = (await gatehouse.call('GET', '/api/auth/session')).body.person
  assert.equal((found as unknown as { deciderName: string }).deciderName, name)
  const { events } = (await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?pageSize=1000')).body
  const triage = events.find(({ action }: { action: string }) => action === 'finding.triage')
  assert.deepEqual([triage.personName, triage.tokenName], [name, ''])
  assert.ok(
    events.some(({ tokenId, tokenName }: { tokenId: number; tokenName: string }) => tokenId > 0 && tokenName !== ''),
  )
})
