import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatSearch, parseSearch } from '../app/address/address.ts'
import { type Field, type Filter, readFilter, writeFilter } from '../app/address/filter.ts'
import { isCounted, issueFields, readSort, reserved, writeSort } from './filter.ts'

function anyValueOf(field: Field): fc.Arbitrary<unknown> {
  if (field.kind === 'words')
    return fc.subarray(
      field.values.map((each) => each.wire),
      { minLength: 1 },
    )
  if (field.kind === 'texts' && field.fits)
    return fc.uniqueArray(fc.stringMatching(field.fits), { minLength: 1, maxLength: 3 })
  if (field.kind === 'texts')
    return fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 3 })
  if (field.kind === 'period')
    return fc.constantFrom({ since: '2026-05-01T00:00:00.000Z' }, { until: '2026-06-01T00:00:00.000Z' })
  return fc.string({ minLength: 1, unit: 'grapheme' })
}

test('filter, address and filter again are the same', () => {
  const filters = fc.record(Object.fromEntries(issueFields.map((field) => [field.wire, anyValueOf(field)])), {
    requiredKeys: [],
  }) as fc.Arbitrary<Filter>
  fc.assert(
    fc.property(filters, (filter) => {
      const address = formatSearch(writeFilter(issueFields, filter))
      const read = readFilter(issueFields, parseSearch(address), reserved)
      assert.deepEqual({ ...read.filter }, { ...filter })
      assert.deepEqual(read.lost, [])
    }),
  )
})

test('the sort is in the address, and the usual one is left out', () => {
  for (const by of ['severity', 'createdAt', 'lastDetectedAt'] as const) {
    for (const direction of ['asc', 'desc'] as const) {
      assert.deepEqual(readSort(writeSort({ by, direction })[0]), { by, direction })
    }
  }
  assert.deepEqual(writeSort({ by: 'severity', direction: 'desc' }), [])
})

test('a number is shown only where it is counted', () => {
  assert.equal(isCounted({ severities: [], projectIds: [] }), true)
  assert.equal(isCounted({ title: 'x' }), false)
})
