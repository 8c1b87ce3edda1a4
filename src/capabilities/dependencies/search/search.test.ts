import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type Row, writeDependencies } from '../../../../test/many-dependencies.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { permitted } from '../../../kernel/access/permission.ts'
import { connectSecurely } from '../../../kernel/database/connections/secure-session.ts'
import { sessions } from '../../../kernel/database/connections/session-pooling.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { execute } from '../../../kernel/prepared-query.ts'
import type { DependencyFilter } from '../contract.ts'
import { createDependencyService } from '../service.ts'

/**
 * Enough that every way of searching is taken: what more than 500 dependencies match is read in steps along the repositories,
 * what more than 1,000 names or 5,000 versions match by repository. Held against a plain walk over all rows.
 */
const repositories = 900
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
    ...(repository > 880 ? [row('late', '1.0.0', 'ISC', 'U')] : []),
    ...(repository % 450 === 7 ? [row('rare', '2.0.0', 'AGPL-3.0-only')] : []),
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
  ['path', { lockfilePath: 'package-lock.json', name: 'o' }, ({ name }) => name === 'common'],
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
  ids = await writeDependencies(gatehouse, repositories, rows)
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
    const listed = await pages('dependencies', 'dependencies', { dependencyFilter: filter })
    const counts = new Map<number, number>()
    for (const one of listed) counts.set(Number(one.repositoryId), (counts.get(Number(one.repositoryId)) ?? 0) + 1)
    assert.deepEqual([...counts], [...expected(matches, false)])
  })
}

test('a page of what a part of many names matches, or of few, takes one statement', async () => {
  const { deploymentId } = gatehouse.owner
  const client = await connectSecurely(gatehouse.connection, sessions.reader)
  let sent = 0
  const recorder = {
    as: () => ({
      deploymentId,
      query: (statement: Sql) => {
        sent++
        return execute(client, statement)
      },
    }),
  } as unknown as Database
  const permissions = permitted('owner', undefined)
  const owner: Actor = { deploymentId, personId: 1, tokenId: 0, role: 'owner', permissions, requestId: 'test' }
  const service = createDependencyService(recorder)
  try {
    await client.query("select set_config('gatehouse.tenant', $1, false)", [String(deploymentId)])
    for (const [name, least] of Object.entries({ bulk: 100, 'k-11': 10, nowhere: 0 })) {
      sent = 0
      const answer = await service.listRepositories(owner, { dependencyFilter: { name } })
      assert.ok(answer.repositorySummaries.length >= least, `${answer.repositorySummaries.length} for ${name}`)
      assert.equal(sent, 1, name)
    }
  } finally {
    await client.end()
  }
})
