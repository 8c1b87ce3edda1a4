import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type Row, writeDependencies } from '../../../../test/many-dependencies.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import type { DependencyFilter } from '../contract.ts'
import { createDependencyService } from '../service.ts'

/**
 * Enough that every way of searching is taken: what more than 500 dependencies match (5,000 where they are counted) is read in
 * steps along the repositories, what more than 1,000 names or 5,000 versions match by repository. Compared with a plain walk over
 * all rows.
 */
const repositories = 900
/** Without dependencies, and older than all others. */
const empty = 300
/** From here on each has two packages of its own. */
const firstOwn = 150
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
    row('common', `${1 + (repository % 5)}.0.0`, 'MIT', 'D'),
    ...(repository >= 850 ? Array.from({ length: 12 }, (_, n) => row('late', `1.0.${n}`, 'ISC', 'U')) : []),
    ...(repository % 450 === 7 ? [row('rare', '2.0.0', 'AGPL-3.0-only')] : []),
    ...(repository >= firstOwn ? ['a', 'b'].map((each) => row(`own-${repository}${each}`, '1.0.0')) : []),
    ...Array.from({ length: 6 }, (_, n) => row(`bulk-${(repository * 6 + n) % 5300}`, `1.${n}.0`, 'Apache-2.0')),
  ]
}

const cases: [string, DependencyFilter, (row: Row) => boolean][] = [
  ['all', {}, () => true],
  ['frequent, whole name', whole('common'), ({ name }) => name === 'common'],
  [
    'frequent, some versions',
    whole('common', '>=2', '<5'),
    ({ name, version }) => name === 'common' && /^[234]/.test(version),
  ],
  ['rare, whole name', whole('rare'), ({ name }) => name === 'rare'],
  ['only in the last repositories', whole('late'), ({ name }) => name === 'late'],
  ['part of many names', { name: 'BULK' }, ({ name }) => name.startsWith('bulk')],
  ['part of many names of later repositories', { name: 'own-' }, ({ name }) => name.startsWith('own-')],
  ['a letter of many names', { name: 'U' }, ({ name }) => name.startsWith('bulk')],
  ['part of some names', { name: 'k-11' }, ({ name }) => name.includes('k-11')],
  ['many names and versions', { name: 'bulk', version: '1.3.0' }, ({ version }) => version === '1.3.0'],
  [
    'bounds of any package',
    { packageFilters: [{ versionUpperBound: '<1.4' }] },
    ({ version }) => /^1\.[0123]/.test(version),
  ],
  ['many versions, one licence', { name: 'l', license: ['ISC'] }, ({ licence }) => licence === 'ISC'],
  ['frequent licence', { license: ['Apache-2.0'] }, ({ licence }) => licence === 'Apache-2.0'],
  ['rare licence', { license: ['AGPL-3.0-only'] }, ({ licence }) => licence === 'AGPL-3.0-only'],
  ['transitivity at the end', { transitivity: ['UNKNOWN_TRANSITIVITY'] }, ({ transitivity }) => transitivity === 'U'],
  ['many names, of few dependencies', { name: 'bulk', transitivity: ['DIRECT'] }, () => false],
  ['path', { lockfilePath: 'package-lock.json', name: 'o' }, ({ name }) => name.includes('o')],
  ['ecosystem', { ecosystem: ['npm'] }, () => true],
]

function whole(name: string, versionLowerBound = '', versionUpperBound = ''): DependencyFilter {
  return { packageFilters: [{ name, exactNameMatch: true, versionLowerBound, versionUpperBound }] }
}

let gatehouse: TestGatehouse
let base: string
let ids: number[]
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_REQUESTS_PER_MINUTE: '1000000' } })
  base = `/api/sca/deployments/${gatehouse.owner.deploymentId}`
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'empty'), (tx) =>
    tx.query(sql`insert into repository (deployment_id, name, default_branch)
      select ${tx.deploymentId}::bigint, 'empty-' || n, 'main' from generate_series(1, ${empty}::int) n ${rowsNotCopied}`),
  )
  ids = (await writeDependencies(gatehouse, repositories, rows)).slice(empty)
})
after(() => gatehouse.close())

async function pages(list: string, entries: string, body: object): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  for (let cursor: unknown; ; ) {
    const answer = await gatehouse.call('POST', `${base}/${list}`, { body: { ...body, ...(cursor ? { cursor } : {}) } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    all.push(...answer.body[entries])
    if (!answer.body.hasMore) return all
    cursor = answer.body.cursor
  }
}

function expected(matches: (row: Row) => boolean, includeArchived: boolean): Map<number, number> {
  const counts = new Map<number, number>()
  for (const row of rows.filter(matches)) {
    if (row.repository % 10 === 9 && !includeArchived) continue
    const id = ids[row.repository]!
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

for (const [name, filter, matches] of cases) {
  test(`${name}: all pages together are what a plain walk finds`, async () => {
    for (const [includeArchived, pageSize] of [
      [false, 100],
      [true, 37],
    ] as const) {
      const body = { dependencyFilter: { ...filter, includeArchived }, pageSize }
      const found = await pages('repositories', 'repositorySummaries', body)
      assert.deepEqual(
        found.map((one) => [one.id, one.numDependencies]),
        [...expected(matches, includeArchived)],
      )
    }
    const listed = await pages('dependencies', 'dependencies', { dependencyFilter: filter, pageSize: 100 })
    const counts = new Map<number, number>()
    for (const one of listed) counts.set(Number(one.repositoryId), (counts.get(Number(one.repositoryId)) ?? 0) + 1)
    assert.deepEqual([...counts], [...expected(matches, false)])
  })
}

/** The first page of the repositories, how many statements it takes, and how many dependencies those look at. */
async function costOf(dependencyFilter: DependencyFilter) {
  const actor = systemActor(gatehouse.owner.deploymentId, 'test')
  const counting = countRows(gatehouse.db.as(actor))
  const service = createDependencyService({ as: () => counting } as unknown as Database)
  const answer = await service.listRepositories(actor, { dependencyFilter })
  const found = answer.repositorySummaries.length
  return { found, statements: counting.statements.length, read: counting.rowsOf('dependency') }
}

test('a page of what a part of many names matches, or of few, takes one statement', async () => {
  for (const [name, least] of Object.entries({ bulk: 100, 'k-11': 10, nowhere: 0 })) {
    const { found, statements } = await costOf({ name })
    assert.ok(found >= least, `${found} for ${name}`)
    assert.equal(statements, 1, name)
  }
})

test('repositories without dependencies take no steps of a search', async () => {
  for (const filter of [{ name: 'bulk' }, { transitivity: ['DIRECT' as const] }, { license: ['Apache-2.0'] }]) {
    const { found, statements } = await costOf(filter)
    assert.equal(found, 100)
    assert.equal(statements, 1, JSON.stringify(filter))
  }
})

test('a step that is wider than a page looks at no more repositories than the page shows', async () => {
  // The first 101 repositories that are not archived have none of these; the next step is eight times as wide.
  const { found, statements, read } = await costOf({ name: 'own-' })
  assert.equal(found, 100)
  assert.equal(statements, 2)
  const looked = firstOwn + 101 / 0.9
  assert.ok(read < looked * 9 * 1.1, `${read} dependencies`)
})

test('what some hundred dependencies of late repositories match is counted in one statement', async () => {
  const { found, statements } = await costOf(whole('late'))
  assert.equal(found, 45)
  assert.equal(statements, 1)
})
