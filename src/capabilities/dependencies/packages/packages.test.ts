import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type Row, writeDependencies } from '../../../../test/many-dependencies.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { advisoryFolder, semver } from '../../vulnerabilities/feeds/test-advisories.ts'
import type { DependencyFilter } from '../contract.ts'
import type { PackageSummary } from './package-contract.ts'

/** More than 20,000 dependencies, so that packages are read along their names; a member sees three repositories, so the other way. */
const repositories = 420
const rows: Row[] = Array.from({ length: repositories }, (_, n) => dependenciesOf(n)).flat()

function dependenciesOf(repository: number): Row[] {
  const row = (name: string, version: string, licence = 'MIT', transitivity: Row['transitivity'] = 'T'): Row => ({
    repository,
    name,
    version,
    licence,
    transitivity,
  })
  return [
    row('common', `${1 + (repository % 5)}.10.0`, 'MIT', repository % 2 ? 'D' : 'T'),
    ...(repository === 407 ? [row('zz-rare', '2.0.0', 'AGPL-3.0-only')] : []),
    ...Array.from({ length: 55 }, (_, n) => row(`bulk-${(repository * 55 + n) % 600}`, `1.${n}.0`, 'Apache-2.0')),
  ]
}

let gatehouse: TestGatehouse
let base: string
let ids: number[]
let member: string
const feed = advisoryFolder()
const seen = [1, 2, 407]
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_REQUESTS_PER_MINUTE: '1000000' } })
  const { deploymentId } = gatehouse.owner
  base = `/api/sca/deployments/${deploymentId}`
  feed.put(
    {
      id: 'GHSA-1',
      aliases: ['CVE-2026-1'],
      summary: 'Bad',
      affected: [{ name: 'common', ranges: [semver('0', '3.0.0')] }],
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    },
    { id: 'GHSA-2', affected: [{ name: 'bulk-7', ranges: [semver('0')] }] },
    { id: 'GHSA-3', affected: [{ name: 'common', ranges: [semver('9.0.0')] }] },
  )
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  ids = await writeDependencies(gatehouse, repositories, rows)
  member = (await gatehouse.addPerson('member')).token
  await gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
    tx.query(sql`insert into team_repository (deployment_id, team_id, repository_id)
      select deployment_id, min(team_id), r.id from team_member, unnest(${seen.map((n) => ids[n]!)}::bigint[]) r (id)
      group by deployment_id, r.id`),
  )
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

async function search(body: object = {}, as = gatehouse.owner.token): Promise<PackageSummary[]> {
  const all: PackageSummary[] = []
  for (let cursor = ''; ; ) {
    const answer = await gatehouse.call('POST', `${base}/packages`, { as, body: { pageSize: 100, ...body, cursor } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    all.push(...answer.body.packages)
    if (!answer.body.hasMore) return all
    cursor = answer.body.cursor
  }
}

type Counted = [name: string, repositories: number, dependencies: number, versions: number]

function expected(matches: (row: Row) => boolean, visible = (n: number) => n % 10 !== 9): Counted[] {
  const found = Map.groupBy(
    rows.filter((row) => matches(row) && visible(row.repository)),
    (row) => row.name,
  )
  return [...found]
    .map(([name, own]): Counted => {
      const distinct = (key: keyof Row) => new Set(own.map((row) => row[key])).size
      return [name, distinct('repository'), own.length, distinct('version')]
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const counted = (found: readonly PackageSummary[]): Counted[] =>
  found.map((each) => [each.name, each.repositoryCount, each.dependencyCount, each.versionCount])
const isSeen = (n: number) => seen.includes(n)
const isVulnerable = ({ name, version }: Row) => name === 'bulk-7' || (name === 'common' && /^[12]\./.test(version))

const cases: [string, DependencyFilter, (row: Row) => boolean][] = [
  ['everything', {}, () => true],
  ['part of a name', { name: 'k-11' }, ({ name }) => name.includes('k-11')],
  ['a letter', { name: 'o' }, ({ name }) => name === 'common'],
  ['the last of all names', { name: 'zz' }, ({ name }) => name === 'zz-rare'],
  ['a version of any package', { version: '1.3.0' }, ({ version }) => version === '1.3.0'],
  [
    'one package below a version',
    { packageFilters: [{ name: 'common', exactNameMatch: true, versionUpperBound: '<4' }] },
    ({ name, version }) => name === 'common' && version < '4',
  ],
  ['a rare licence', { license: ['AGPL-3.0-only'] }, ({ licence }) => licence === 'AGPL-3.0-only'],
  ['asked for directly', { transitivity: ['DIRECT'] }, ({ transitivity }) => transitivity === 'D'],
  ['nothing', { name: 'nowhere' }, () => false],
]

for (const [name, filter, matches] of cases) {
  test(`${name}: packages and counts are what a plain walk finds, for an owner and for a member`, async () => {
    const body = { dependencyFilter: filter }
    assert.deepEqual(counted(await search(body)), expected(matches))
    assert.deepEqual(counted(await search({ ...body, pageSize: 7 }, member)), expected(matches, isSeen))
    const descending = { ...body, sort: { by: 'name', direction: 'desc' } }
    assert.deepEqual(counted(await search(descending)), expected(matches).reverse())

    const own = rows.filter((row) => matches(row) && row.repository % 10 !== 9)
    const { body: counts } = await gatehouse.call('POST', `${base}/dependencies/counts`, { body })
    const distinct = (of: (row: Row) => unknown, among = own) => new Set(among.map(of)).size
    assert.partialDeepStrictEqual(counts, {
      repositoryCount: distinct((row) => row.repository),
      directRepositoryCount: distinct(
        (row) => row.repository,
        own.filter((row) => row.transitivity === 'D'),
      ),
      packageCount: distinct((row) => row.name),
      versionCount: distinct((row) => `${row.name} ${row.version}`),
      dependencyCount: own.length,
    })
  })
}

test('what is used most comes first, page by page, each package once', async () => {
  for (const [by, at] of [
    ['repositories', 1],
    ['dependencies', 2],
  ] as const) {
    const found = counted(await search({ sort: { by } }))
    const wanted = expected(() => true)
    const byName = ([a]: Counted, [b]: Counted) => (a < b ? -1 : 1)
    assert.deepEqual(found.toSorted(byName), wanted)
    assert.deepEqual(
      found.map((each) => each[at]),
      wanted.map((each) => each[at]).sort((a, b) => b - a),
    )
  }
})

test('only what advisories name, and how bad it is', async () => {
  for (const sort of [{ by: 'name' }, { by: 'repositories', direction: 'asc' }]) {
    const found = await search({ vulnerable: true, sort })
    assert.deepEqual(
      counted(found)
        .map(([name, count]) => [name, count])
        .sort(),
      expected(isVulnerable).map(([name, count]) => [name, count]),
    )
  }
  const seenByMember = await search({ vulnerable: true }, member)
  assert.deepEqual(
    seenByMember.map((each) => [each.name, each.repositoryCount]),
    expected(isVulnerable, isSeen).map(([name, count]) => [name, count]),
  )
  const [common] = await search({ dependencyFilter: { packageFilters: [{ name: 'common', exactNameMatch: true }] } })
  assert.partialDeepStrictEqual(common, { vulnerableVersionCount: 2, severity: 'SEVERITY_CRITICAL', versionCount: 5 })
  assert.deepEqual(
    common!.versions.map(({ version, severity }) => [version, severity]),
    [
      ['5.10.0', null],
      ['4.10.0', null],
      ['3.10.0', null],
      ['2.10.0', 'SEVERITY_CRITICAL'],
      ['1.10.0', 'SEVERITY_CRITICAL'],
    ],
  )
})

test('versions stand in the order of their ecosystem, the latest first', async () => {
  const [bulk] = await search({ dependencyFilter: { packageFilters: [{ name: 'bulk-7', exactNameMatch: true }] } })
  const minors = bulk!.versions.map(({ version }) => Number(version.split('.')[1]))
  assert.ok(minors.some((minor) => minor > 9) && minors.some((minor) => minor < 10))
  assert.deepEqual(
    minors,
    minors.toSorted((a, b) => b - a),
  )
})

test('a package comes with its versions, licences and vulnerabilities, for what the caller sees', async () => {
  const { body } = await gatehouse.call('GET', `${base}/packages/npm/common`)
  const own = rows.filter(({ name, repository }) => name === 'common' && repository % 10 !== 9)
  assert.partialDeepStrictEqual(body.package, {
    ecosystem: 'npm',
    name: 'common',
    repositoryCount: own.length,
    directRepositoryCount: own.filter((row) => row.transitivity === 'D').length,
    dependencyCount: own.length,
    versionCount: 5,
    vulnerableVersionCount: 2,
    licences: ['MIT'],
  })
  assert.deepEqual(body.package.vulnerabilities, [
    {
      id: 'CVE-2026-1',
      title: 'Bad',
      severity: 'SEVERITY_CRITICAL',
      exploited: false,
      versions: ['2.10.0', '1.10.0'],
      fixedVersions: ['3.0.0'],
    },
  ])
  const theirs = await gatehouse.call('GET', `${base}/packages/npm/common`, { as: member })
  assert.deepEqual([theirs.body.package.repositoryCount, theirs.body.package.versionCount], [3, 2])
  const rare = await gatehouse.call('GET', `${base}/packages/npm/bulk-500`, { as: member })
  assert.equal(rare.status, 404)
  assert.equal((await gatehouse.call('GET', `${base}/packages/pypi/common`)).status, 404)
  assert.equal((await gatehouse.call('GET', `${base}/packages/nowhere/common`)).status, 400)
})

test('what people decided about a package is in its verdict, for who may read that', async () => {
  const deny = { ecosystem: 'npm', name: 'common', version: '2.10.0', effect: 'deny', reason: 'no' }
  const path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/overrides`
  assert.equal((await gatehouse.call('POST', path, { body: deny })).status, 200)
  await gatehouse.firewall.refresh()
  const { body } = await gatehouse.call('GET', `${base}/packages/npm/common`)
  assert.deepEqual(
    [body.package.verdict, body.package.versions.map((each: { verdict: string }) => each.verdict)[3]],
    ['block', 'block'],
  )
  const scopes = ['dependencies:read']
  const as = await gatehouse.makeToken(await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password), 1, {
    scopes,
  })
  const unread = await gatehouse.call('GET', `${base}/packages/npm/common`, { as })
  assert.deepEqual(
    [unread.status, unread.body.package.verdict, unread.body.package.versions[3].verdict],
    [200, null, null],
  )
})

test('names are completed from what the caller sees: the name, then what begins with it, then what has it', async () => {
  const names = async (query: string, as?: string) => {
    const answer = await gatehouse.call('GET', `${base}/package-names?${query}`, as ? { as } : {})
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.names.map((each: { name: string }) => each.name)
  }
  assert.deepEqual(await names('text=BULK-1&limit=3'), ['bulk-1', 'bulk-10', 'bulk-11'])
  assert.deepEqual(await names('text=rare'), ['zz-rare'])
  assert.deepEqual(await names('text=mm', member), ['common'])
  assert.deepEqual(await names('text=bulk-500', member), [])
  assert.deepEqual(await names('text=common&ecosystem=pypi'), [])
  assert.deepEqual(await names('text=%25'), [])
  assert.equal((await gatehouse.call('GET', `${base}/package-names?text=`)).status, 400)
})

test('a cursor goes on with its own question alone', async () => {
  const first = await gatehouse.call('POST', `${base}/packages`, { body: { pageSize: 1 } })
  const { cursor } = first.body
  const others = [
    { sort: { by: 'repositories' } },
    { vulnerable: true },
    { dependencyFilter: { name: 'c' } },
    { cursor: `${cursor.slice(0, -2)}AA` },
  ]
  for (const other of others) {
    const answer = await gatehouse.call('POST', `${base}/packages`, { body: { pageSize: 1, cursor, ...other } })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, '/cursor'], JSON.stringify(other))
  }
})

test('a "no" says what was looked at', async () => {
  const { body } = await gatehouse.call('POST', `${base}/dependencies/counts`, {
    body: { dependencyFilter: { name: 'nowhere' } },
  })
  const looked = rows.filter((row) => row.repository % 10 !== 9)
  assert.equal(body.repositoryCount, 0)
  assert.partialDeepStrictEqual(body.searched, {
    repositoryCount: new Set(looked.map((row) => row.repository)).size,
    dependencyCount: looked.length,
    withoutInventory: 0,
  })
  assert.ok(Date.parse(body.searched.oldestInventoryAt) > 0)
})
