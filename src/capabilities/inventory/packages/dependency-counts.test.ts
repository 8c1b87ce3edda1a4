import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../../test/inventory-fixture.ts'
import { rowsRead } from '../../../../test/watching/rows-read.ts'
import type { DependencyFilter } from '../../dependencies/contract.ts'
import { conditionsOf } from '../../dependencies/search/conditions.ts'
import { countDependencies } from './dependency-counts.ts'

const repositories = 6
const each = 100

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  for (let n = 0; n < repositories; n++) {
    const items = Array.from({ length: each }, (_, k) => ({ name: `p${k}`, version: `${n % 2}.0.0`, direct: k === 7 }))
    await uploadInventory(gatehouse, `shop/r${n}`, { 'bom.json': bill(items) })
  }
})
after(() => gatehouse.close())

async function counted(filter: DependencyFilter, most?: number) {
  let answer: Awaited<ReturnType<typeof countDependencies>> | undefined
  const conditions = await conditionsOf(filter)
  const read = await rowsRead(gatehouse, 'dependency', async (db, actor) => {
    answer = await countDependencies(db.as(actor), actor, conditions, most)
  })
  return { ...answer!, read }
}

test('what is few is counted exactly, by repository and along an index', async () => {
  const { read: _, ...all } = await counted({})
  const exact = {
    repositories: 6,
    directRepositories: 6,
    packages: 100,
    versions: 200,
    dependencies: 600,
    atLeast: false,
  }
  assert.deepEqual(all, exact)
  const { read: __, ...one } = await counted({ packageFilters: [{ name: 'p7', exactNameMatch: true }] })
  assert.deepEqual(one, { ...exact, packages: 1, versions: 2, dependencies: 6 })
})

test('of what is much the first repositories are counted, and no others are read', async () => {
  const { read, ...direct } = await counted({ transitivity: ['DIRECT'] }, 150)
  assert.deepEqual(direct, {
    repositories: 2,
    directRepositories: 2,
    packages: 1,
    versions: 2,
    dependencies: 2,
    atLeast: true,
  })
  assert.ok(read <= 2 * each, `${read} dependencies were read`)
})

test('how many dependencies there are in all is exact, however many', async () => {
  const { repositories: all, dependencies, packages, atLeast, read } = await counted({}, 150)
  assert.deepEqual([all, dependencies, packages, atLeast], [6, 600, 100, true])
  assert.ok(read <= 2 * each, `${read} dependencies were read`)
})

test('a limit that is just reached leaves the counts exact', async () => {
  const { atLeast, dependencies } = await counted({}, repositories * each)
  assert.deepEqual([atLeast, dependencies], [false, repositories * each])
})
