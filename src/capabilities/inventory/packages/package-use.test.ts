import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../../test/inventory-fixture.ts'
import { rowsRead } from '../../../../test/watching/rows-read.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import { createPackageService } from '../../dependencies/packages/packages.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  for (const n of [1, 2, 3, 4]) {
    const others = Array.from({ length: 50 }, (_, k) => ({ name: `other-${k}`, version: `${n}.0.0`, licence: 'ISC' }))
    const items = [
      { name: 'shared', version: `${n % 2}.1.0`, licence: n === 1 ? 'ISC' : 'MIT', direct: n < 3 },
      ...others,
    ]
    await uploadInventory(gatehouse, `shop/r${n}`, {
      'bom.json': bill(items),
      ...(n === 4 && { 'again/bom.json': bill([{ name: 'shared', version: '0.1.0' }]) }),
    })
  }
})
after(() => gatehouse.close())

test('of one package each dependency is read once, and no other', async () => {
  const allowed = { verdict: () => ({ decision: 'allow' as const, rule: '' }), prepare: () => undefined }
  const seal = {} as CursorSeal
  const read = await rowsRead(gatehouse, 'dependency', async (db, actor) => {
    const found = await createPackageService(db, seal, allowed).get(actor, 'npm', 'shared')
    const { versions, ...whole } = found
    assert.deepEqual(
      [whole.repositoryCount, whole.dependencyCount, whole.directRepositoryCount, whole.versionCount, whole.licences],
      [4, 5, 2, 2, ['MIT', 'ISC']],
    )
    assert.deepEqual(
      versions.map((one) => [one.version, one.repositoryCount, one.dependencyCount]),
      [
        ['1.1.0', 2, 2],
        ['0.1.0', 2, 3],
      ],
    )
  })
  assert.equal(read, 5)
})
