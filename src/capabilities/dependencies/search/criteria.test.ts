import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsWithin } from '../../../../test/turns.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { PackageFilter } from '../contract.ts'
import { packageCriteria } from './criteria.ts'

const filters = (count: number, length: number): PackageFilter[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `package-${at}`,
    versionUpperBound: `<${at}.${'1.'.repeat(length)}`.slice(0, length),
  }))

test('many filters with bounds hold up nobody', async () => {
  const { result, longestMs, turns } = await turnsWithin(100, () =>
    packageCriteria({ packageFilters: filters(1_000, 50) }),
  )
  assert.ok(result!.criteria.length >= 1_000)
  // As a whole it takes more than one turn; it would be one without the pauses.
  assert.ok(turns > 3, `${turns} turns`)
  assert.ok(longestMs < 100, `${longestMs} ms of the processor at once`)
})

test('versions and bounds have a bound of their own, over all filters', async () => {
  await packageCriteria({ packageFilters: filters(250, 200) })
  await assert.rejects(packageCriteria({ packageFilters: filters(251, 200) }), (error) => {
    assert.ok(error instanceof Fault && error.code === 'validation_failed')
    assert.deepEqual(error.errors, [
      {
        pointer: '/dependencyFilter/packageFilters',
        detail: 'may have 50000 characters of versions and bounds in all, has 50200',
      },
    ])
    return true
  })
})
