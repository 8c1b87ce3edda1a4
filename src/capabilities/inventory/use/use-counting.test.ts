import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../../test/inventory-fixture.ts'
import { countRows, rowsRead } from '../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import type { DependencyFilter } from '../../dependencies/contract.ts'
import { createPackageService } from '../../dependencies/packages/packages.ts'
import { conditionsOf } from '../../dependencies/search/conditions.ts'
import { type PackageSort, searchPackages } from '../packages/package-search.ts'
import { createUseCounting } from './use-counting.ts'

let gatehouse: TestGatehouse
let admin: pg.Client
before(async () => {
  gatehouse = await openGatehouse({ jobs: false, env: { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' } })
  admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  for (const n of [1, 2, 3, 4, 5, 6]) await upload(`shop/r${n}`, n, 12)
})
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const count = () => createUseCounting(gatehouse.db).run()
/** Packages that every n-th repository has, one of them in two files and two versions. */
const upload = (repository: string, n: number, size: number) => {
  const items = Array.from({ length: size }, (_, k) => k + 1)
    .filter((k) => n % (1 + (k % 4)) === 0)
    .map((k) => ({
      name: `${k % 2 ? 'odd' : 'even'}-${k}`,
      version: `${n}.0.0`,
      licence: k % 3 ? 'MIT' : 'ISC',
      direct: k === 4,
    }))
  return uploadInventory(gatehouse, repository, {
    'bom.json': bill(items),
    'again/bom.json': bill([{ name: 'odd-1', version: '1.0.0' }]),
  })
}

type Count = { repositories: number; dependencies: number }
type Used = Count & { name: string; versions: (Count & { version: string })[] }

async function listed(dependencyFilter: DependencyFilter, by: string, as?: string): Promise<Used[]> {
  const used: Used[] = []
  let cursor = ''
  do {
    const path = `/api/sca/deployments/${gatehouse.owner.deploymentId}/packages`
    const asked = { dependencyFilter, sort: { by }, pageSize: 5, cursor }
    const { status, body } = await gatehouse.call('POST', path, { body: asked, ...(as && { as }) })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.atLeast, false)
    for (const { name, repositoryCount, dependencyCount, versions } of body.packages) {
      const ofVersions = versions.map((each: Record<string, number | string>) => ({
        version: each.version,
        repositories: each.repositoryCount,
        dependencies: each.dependencyCount,
      }))
      used.push({ name, repositories: repositoryCount, dependencies: dependencyCount, versions: ofVersions })
    }
    cursor = body.cursor
  } while (cursor)
  return used
}

/** As the dependencies themselves say. */
async function recounted(where: string, by: 'repositories' | 'dependencies'): Promise<Used[]> {
  const counts = 'count(distinct d.repository_id)::int as repositories, count(*)::int as dependencies'
  const from = `from dependency d join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
    join repository r on r.deployment_id = d.deployment_id and r.id = d.repository_id
    left join licence l on l.deployment_id = d.deployment_id and l.id = d.licence_id
    where ${where} group by p.name`
  const { rows } = await admin.query(`select p.name, ${counts} ${from} order by ${by} desc, p.name desc`)
  const { rows: versions } = await admin.query(
    `select p.name, v.version, ${counts} ${from}, v.version, v.order_key order by v.order_key desc`,
  )
  return rows.map((row) => ({
    ...row,
    versions: versions.filter(({ name }) => name === row.name).map(({ name: _, ...each }) => each),
  }))
}

const bothSorts = ['repositories', 'dependencies'] as const

async function assertSame(): Promise<void> {
  for (const by of bothSorts) {
    assert.deepEqual(await listed({}, by), await recounted('not r.archived', by))
    assert.deepEqual(await listed({ includeArchived: true }, by), await recounted('true', by))
    assert.deepEqual(await listed({ name: 'even' }, by), await recounted(`not r.archived and p.name like 'even%'`, by))
    assert.deepEqual(await listed({ name: 'e' }, by), await recounted(`not r.archived and p.name like '%e%'`, by))
  }
}

/** Whether the sums are those of what was counted. */
async function assertSums(): Promise<void> {
  const { rows } = await admin.query(`select 'package' as of, id, sum(r)::int as r, sum(n)::int as n from (
        select package_id as id, -repositories as r, -dependencies as n from package_use
        union all select unnest(package_ids), 1, unnest(package_counts) from inventory_packages) each
      group by id having sum(r) <> 0 or sum(n) <> 0
    union all
    select 'version', id, sum(r)::int, sum(n)::int from (
        select package_version_id as id, -repositories as r, -dependencies as n from package_version_use
        union all select unnest(version_ids), 1, unnest(version_counts) from inventory_packages) each
      group by id having sum(r) <> 0 or sum(n) <> 0`)
  assert.deepEqual(rows, [])
}

test('packages are sorted by the same use before, while and after inventories are counted', async () => {
  await assertSame()
  await count()
  await assertSame()
  await upload('shop/r7', 12, 20)
  await upload('shop/r2', 6, 9)
  await assertSame()
  await count()
  await assertSame()
  await assertSums()
})

test('what is archived, deleted or back again is put right at once', async () => {
  const id = await upload('shop/r8', 4, 16)
  await count()
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories/${id}`
  await admin.query(`update repository set archived = true where name = 'shop/r3'`)
  assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  await assertSame()
  await count()
  await assertSame()
  await assertSums()
  await admin.query(`update repository set archived = false where name = 'shop/r3'`)
  await assertSame()
  await count()
  await assertSame()
  await assertSums()
})

test('whoever sees some repositories gets exactly what those have', async () => {
  await count()
  const { deploymentId } = gatehouse.owner
  const { token, id } = await gatehouse.addPerson('member')
  assert.deepEqual(await listed({}, 'repositories', token), [])
  for (const seen of [[`'shop/r4'`], [`'shop/r2'`, `'shop/r4'`], [1, 2, 4, 5, 6, 7].map((n) => `'shop/r${n}'`)]) {
    await admin.query(`with made as (insert into team (deployment_id, name, slug, level)
          values (${deploymentId}, 'Team ${seen.length}', 'team-${seen.length}', 1) returning id),
        held as (insert into team_repository (deployment_id, team_id, repository_id)
          select ${deploymentId}, made.id, r.id from made, repository r where r.name in (${seen}))
      insert into team_member (deployment_id, team_id, person_id, role)
        select ${deploymentId}, made.id, ${id}, 'TEAM_ROLE_MEMBER' from made`)
    for (const by of bothSorts) {
      assert.deepEqual(await listed({}, by, token), await recounted(`r.name in (${seen})`, by))
      const named = await recounted(`r.name in (${seen}) and p.name like 'odd%'`, by)
      assert.deepEqual(await listed({ name: 'odd' }, by, token), named)
    }
  }
})

test('what is asked of single dependencies or versions is counted one by one', async () => {
  await count()
  const asked: [DependencyFilter, string][] = [
    [{ license: ['isc'] }, `l.expression = 'ISC'`],
    [{ license: ['NOASSERTION'] }, 'd.licence_id is null'],
    [{ transitivity: ['DIRECT'] }, `d.transitivity = 'D'`],
    [{ version: '4.0.0' }, `v.version = '4.0.0'`],
    [{ lockfilePath: 'again/bom.json' }, `p.name = 'odd-1' and v.version = '1.0.0' and d.licence_id is null`],
  ]
  for (const [filter, where] of asked) {
    for (const by of bothSorts) {
      const expected = await recounted(`not r.archived and ${where}`, by)
      assert.notEqual(expected.length, 0)
      assert.deepEqual(await listed(filter, by), expected, where)
    }
  }
})

test('whoever counts waits for another who does', async () => {
  await upload('shop/r9', 12, 30)
  await admin.query('begin')
  await admin.query(`select pg_advisory_xact_lock(hashtextextended('inventory.use', ${gatehouse.owner.deploymentId}))`)
  let isCounted = false
  const counting = count().then(() => {
    isCounted = true
  })
  const isWaiting = async () => {
    const { rows } = await admin.query(`select from pg_locks where locktype = 'advisory' and not granted`)
    return rows.length > 0
  }
  while (!isCounted && !(await isWaiting()));
  assert.equal(isCounted, false)
  await admin.query('rollback')
  await counting
  await assertSums()
  await assertSame()
})

async function found(db: Queryable, filter: DependencyFilter, by: PackageSort, most?: number) {
  const actor = systemActor(gatehouse.owner.deploymentId, 'use')
  const order = { by, direction: 'desc' as const }
  const conditions = await conditionsOf(filter)
  const search = { conditions, onlyKnown: undefined, order, after: undefined, limit: 100 }
  return searchPackages(db, actor, search, most)
}

const ofOwner = () => gatehouse.db.as(systemActor(gatehouse.owner.deploymentId, 'use'))

test('an upload that is counted while packages are sorted counts once', async () => {
  await count()
  await upload('shop/r2', 12, 14)
  const inner = ofOwner()
  let statements = 0
  const countedMeanwhile: Queryable = {
    ...inner,
    query: async <Row>(statement: Sql) => {
      if (statements++ === 1) await count()
      return inner.query<Row>(statement)
    },
  }
  const { rows, way } = await found(countedMeanwhile, {}, 'repositories')
  assert.equal(way?.by, 'sums')
  const expected = await recounted('not r.archived', 'repositories')
  assert.deepEqual(
    rows.map(({ name, repositories, dependencies }) => ({ name, repositories, dependencies })),
    expected.map(({ versions: _, ...each }) => each),
  )
})

test('of much that is not counted the first repositories are, and the answer says so', async () => {
  await upload('large/one', 12, 400)
  const { rows, way, atLeast } = await found(ofOwner(), { transitivity: ['DIRECT'] }, 'repositories', 8)
  assert.deepEqual([way?.by, atLeast], ['rows', true])
  assert.ok(rows.every(({ repositories }) => repositories <= 2))
  const counting = countRows(ofOwner())
  const first = await found(counting, {}, 'repositories', 8)
  assert.deepEqual([first.way?.by, first.atLeast], ['lists', true])
  assert.equal(counting.rowsOf('dependency'), 0)
})

test('no dependency of a counted inventory is read to sort packages, and few rows of sums', async () => {
  await upload('large/one', 12, 4_000)
  await count()
  await admin.query('analyze package_use, package_version_use, inventory_packages, package, package_version')
  const read = (table: string) =>
    rowsRead(gatehouse, table, (db, actor) =>
      createPackageService(db, { write: () => '' } as unknown as CursorSeal, {
        verdict: () => ({ decision: 'allow', rule: '' }),
        prepare: () => undefined,
      }).search(actor, { sort: { by: 'repositories' }, pageSize: 3 }),
    )
  assert.equal(await read('dependency'), 0)
  const sums = await read('package_use')
  assert.ok(sums <= 10, `${sums} sums were read`)
  await assertSums()
})
