import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type BillItem, bill, uploadInventory } from '../../../../test/inventory-fixture.ts'
import { countRows, rowsRead } from '../../../../test/watching/rows-read.ts'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { conditionsOf } from '../../dependencies/search/conditions.ts'
import { createDependencyService } from '../../dependencies/service.ts'
import { searchDependencies, searchRepositories } from '../search/search-inventories.ts'
import { createLicenceCounting } from './licence-counting.ts'

let gatehouse: TestGatehouse
let admin: pg.Client
before(async () => {
  gatehouse = await openGatehouse({ jobs: false, env: { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' } })
  admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  await upload('shop/front', 'web/bom.json', ['MIT', 'MIT OR ISC', 'Our own licence', ''])
  await uploadInventory(gatehouse, 'shop/back', {
    'bom.json': billOf(['MIT', '', '']),
    'other/bom.json': billOf(['ISC']),
    'empty/bom.json': billOf([]),
  })
})
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const count = () => createLicenceCounting(gatehouse.db).run()
const billOf = (licences: readonly string[]) =>
  bill(licences.map((licence, n): BillItem => ({ name: `p${n}`, version: '1.0.0', ...(licence && { licence }) })))
const upload = (repository: string, path: string, licences: readonly string[]) =>
  uploadInventory(gatehouse, repository, { [path]: billOf(licences) })

async function answered() {
  const { status, body } = await gatehouse.call('GET', `/api/sca/deployments/${gatehouse.owner.deploymentId}/licences`)
  assert.equal(status, 200)
  return body
}

/** As the dependencies themselves say. */
async function recounted() {
  const { rows } = await admin.query(`select d.repository_id, l.spdx_ids, d.licence_id is null as none
    from dependency d left join licence l on l.deployment_id = d.deployment_id and l.id = d.licence_id`)
  const counts = new Map<string, { dependencies: number; repositories: Set<number> }>()
  for (const { repository_id: repository, spdx_ids: ids, none } of rows) {
    for (const id of none ? ['none'] : ids.length > 0 ? ids : ['unrecognised']) {
      const entry = counts.get(id) ?? { dependencies: 0, repositories: new Set() }
      entry.dependencies++
      entry.repositories.add(repository)
      counts.set(id, entry)
    }
  }
  const sumOf = (kind: string) => counts.get(kind)?.dependencies ?? 0
  return {
    licences: [...counts]
      .filter(([id]) => id !== 'none' && id !== 'unrecognised')
      .map(([spdxId, { dependencies, repositories }]) => ({
        spdxId,
        dependencyCount: dependencies,
        repositoryCount: repositories.size,
      }))
      .sort((a, b) => b.dependencyCount - a.dependencyCount || (a.spdxId < b.spdxId ? -1 : 1)),
    unrecognised: sumOf('unrecognised'),
    withoutLicence: sumOf('none'),
  }
}

async function inventoriesCounted(): Promise<{ inventories: number; counted: number }> {
  const { rows } = await admin.query(`select (select count(*)::int from inventory) as inventories,
    (select count(*)::int from inventory_licences join inventory using (deployment_id, repository_id, scan_id)) as counted`)
  return rows[0]
}

test('licences are the same before, while and after inventories are counted', async () => {
  assert.deepEqual(await inventoriesCounted(), { inventories: 2, counted: 0 })
  assert.deepEqual(await answered(), await recounted())
  await count()
  assert.deepEqual(await inventoriesCounted(), { inventories: 2, counted: 2 })
  assert.deepEqual(await answered(), await recounted())
  await upload('shop/third', 'bom.json', ['ISC', 'MIT', ''])
  assert.deepEqual(await inventoriesCounted(), { inventories: 3, counted: 2 })
  assert.deepEqual(await answered(), await recounted())
  assert.equal((await answered()).withoutLicence, 4)
})

test('whoever sees some repositories is told the licences of those', async () => {
  await count()
  const { token } = await gatehouse.addPerson('member')
  const { body } = await gatehouse.call('GET', `/api/sca/deployments/${gatehouse.owner.deploymentId}/licences`, {
    as: token,
  })
  assert.deepEqual(body, { licences: [], unrecognised: 0, withoutLicence: 0 })
})

test('counts are those of the inventory as it is now, and go with their repository', async () => {
  await count()
  const id = await upload('shop/third', 'bom.json', ['Apache-2.0'])
  assert.deepEqual(await answered(), await recounted())
  await count()
  assert.deepEqual(await answered(), await recounted())
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories/${id}`
  assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  assert.deepEqual(await inventoriesCounted(), { inventories: 2, counted: 2 })
  assert.deepEqual(await answered(), await recounted())
})

test('a repository that is being uploaded to is counted the next time, and nobody waits', async () => {
  await upload('shop/slow', 'bom.json', ['MIT'])
  await admin.query('begin')
  await admin.query(`select 1 from repository where deployment_id = $1 and name = 'shop/slow' for update`, [
    gatehouse.owner.deploymentId,
  ])
  await count()
  await admin.query('rollback')
  assert.deepEqual(await inventoriesCounted(), { inventories: 3, counted: 2 })
  await count()
  assert.deepEqual(await inventoriesCounted(), { inventories: 3, counted: 3 })
})

test('no dependency of a counted inventory is read', async () => {
  await count()
  const licences = Array.from({ length: 1_000 }, (_, n) => ['MIT', 'ISC', ''][n % 3]!)
  await upload('large/one', 'bom.json', licences)
  const read = () => rowsRead(gatehouse, 'dependency', (db, actor) => createDependencyService(db).licences(actor, {}))
  assert.equal(await read(), 1_000)
  await count()
  assert.equal(await read(), 0)
  assert.deepEqual(await answered(), await recounted())
})

test('a search for licences reads no repository whose counted licences are others', async () => {
  const plain = (licence: string) => Array.from({ length: 500 }, () => licence)
  await upload('large/two', 'bom.json', plain('MIT'))
  await upload('small/none', 'bom.json', ['BSD-3-Clause', ''])
  const search = (license: string[]) => async (db: Database, actor: Actor) => {
    const conditions = await conditionsOf({ license })
    return searchRepositories(db.as(actor), actor, conditions, { from: 0, limit: 1_000 })
  }
  const actor = systemActor(gatehouse.owner.deploymentId, 'licences')
  const found = async (...licences: string[]) =>
    (await search(licences)(gatehouse.db, actor)).map(({ name, matches }) => ({ name, matches }))
  const each = async () => [
    await found('NOASSERTION'),
    await found('noassertion', 'bsd-3-clause'),
    await found('OTHER', 'noassertion'),
    await found('other'),
    await found('mit'),
    await found('0BSD', 'noassertion'),
  ]
  const before = await each()
  await count()
  assert.deepEqual(await each(), before)
  assert.deepEqual(
    before[0]!.filter(({ name }) => name === 'small/none' || name === 'large/two'),
    [{ name: 'small/none', matches: 1 }],
  )
  const { rows } = await admin.query(`select count(*)::int as count from dependency where repository_id in (
    select repository_id from dependency where licence_id is null)`)
  const read = await rowsRead(gatehouse, 'dependency', search(['noassertion']))
  assert.ok(read <= rows[0].count, `${read} dependencies were read`)
  // What was uploaded since is looked at.
  await upload('large/two', 'bom.json', ['MIT', ''])
  assert.equal(
    (await found('noassertion')).some(({ name }) => name === 'large/two'),
    true,
  )
})

test('a page of repositories with a licence looks at no more repositories than it shows', async () => {
  for (let n = 0; n < 12; n++) await upload(`many/r${n}`, 'bom.json', ['Zlib', 'Zlib'])
  await count()
  const conditions = await conditionsOf({ license: ['NOASSERTION', 'Zlib'] })
  const read = await rowsRead(gatehouse, 'inventory_licences', (db, actor) =>
    searchRepositories(db.as(actor), actor, conditions, { from: 0, limit: 2 }),
  )
  assert.ok(read <= 6, `${read} repositories were looked at`)
})

test('of a licence that many have, dependencies are read of repositories that the caller sees', async () => {
  const { deploymentId } = gatehouse.owner
  const zlib = (length: number) => Array.from({ length }, () => 'Zlib')
  for (const name of ['hidden/a', 'hidden/b', 'hidden/c']) await upload(name, 'bom.json', zlib(400))
  const seen = await upload('seen/one', 'bom.json', zlib(3))
  const { id: personId } = await gatehouse.addPerson('member')
  await admin.query(`with made as (insert into team (deployment_id, name, slug, level)
        values (${deploymentId}, 'Few', 'few', 1) returning id),
      held as (insert into team_repository (deployment_id, team_id, repository_id)
        select ${deploymentId}, made.id, ${seen} from made)
    insert into team_member (deployment_id, team_id, person_id, role)
      select ${deploymentId}, made.id, ${personId}, 'TEAM_ROLE_MEMBER' from made`)
  const member = { ...systemActor(deploymentId, 'licences'), personId, role: 'member' as const }
  const counting = countRows(gatehouse.db.as(member))
  const after = { repositoryId: 0, versionId: 0, path: '', nth: 0 }
  const conditions = await conditionsOf({ license: ['Zlib'] })
  const found = await searchDependencies(counting, member, conditions, { after, size: 25 })
  assert.equal(found.length, 3)
  const read = counting.rowsOf('dependency')
  assert.ok(read <= 600, `${read} dependencies were read`)
})
