import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../../test/inventory-fixture.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { conditionsOf } from '../../dependencies/search/conditions.ts'
import { countedByRepository, everyRepository } from './search.ts'
import { searchRepositories } from './search-inventories.ts'
import { listSummaries } from './summary-store.ts'

/** More packages than are looked for one by one. */
const packages = 1_300

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  const items = Array.from({ length: packages }, (_, n) => ({
    name: n % 10 === 0 ? `plain-${n}` : `steel-${n}`,
    version: n === 7 ? '1.0.0' : '2.0.0',
  }))
  await uploadInventory(gatehouse, 'shop/all', { 'bom.json': bill(items) })
  await uploadInventory(gatehouse, 'shop/plain', { 'bom.json': bill([{ name: 'plain-0', version: '2.0.0' }]) })
  await uploadInventory(gatehouse, 'shop/python', {
    'bom.json': bill([{ ecosystem: 'pypi', name: 'steel-7', version: '1.0' }]),
  })
})
after(() => gatehouse.close())

const actor = () => systemActor(gatehouse.owner.deploymentId, 'search')

async function found(name: string): Promise<Record<string, number>> {
  const conditions = await conditionsOf({ name })
  const rows = await searchRepositories(gatehouse.db.as(actor()), actor(), conditions, { from: 0, limit: 10 })
  return Object.fromEntries(rows.map((row) => [row.name, row.matches]))
}

test('a letter that most names have is found in those that have it, and in no others', async () => {
  assert.deepEqual(await found('e'), { 'shop/all': packages * 0.9, 'shop/python': 1 })
  assert.deepEqual(await found('a'), { 'shop/all': packages / 10, 'shop/plain': 1 })
  assert.deepEqual(await found('steel'), { 'shop/all': packages * 0.9, 'shop/python': 1 })
  assert.deepEqual(await found('-'), { 'shop/all': packages, 'shop/plain': 1, 'shop/python': 1 })
  assert.deepEqual(await found('x'), {})
})

test('a version of any package is looked for among versions, and packages are read of what has it', async () => {
  const counting = countRows(gatehouse.db.as(actor()))
  const search = async (ecosystem: ('npm' | 'pypi')[]) => {
    const conditions = await conditionsOf({ version: '1.0.0', ecosystem })
    const counted = countedByRepository(actor(), conditions, everyRepository, 10)
    const { rows } = await listSummaries(counting, actor(), conditions, counted, 10)
    return rows.map(({ name, matches }) => ({ name, matches }))
  }
  const [npm, pypi] = [
    { name: 'shop/all', matches: 1 },
    { name: 'shop/python', matches: 1 },
  ]
  assert.deepEqual(await search([]), [npm, pypi])
  assert.deepEqual(await search(['npm']), [npm])
  assert.deepEqual(await search(['pypi']), [pypi])
  assert.ok(counting.rowsOf('package') <= 20, `${counting.rowsOf('package')} packages were read`)
})
