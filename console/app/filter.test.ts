import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findingFields, reserved } from '../findings/filter.ts'
import { formatSearch, parseSearch } from './address.ts'
import { type Field, type Filter, readFilter, writeFilter } from './filter.ts'

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

function anyValue(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'words':
      return fc.subarray(
        field.values.map((value) => value.wire),
        { minLength: 1 },
      )
    case 'choice':
      return fc.constantFrom(...field.values.map((value) => value.wire))
    case 'texts':
      if (field.fits) return fc.uniqueArray(fc.stringMatching(field.fits), { minLength: 1 })
      return fc.uniqueArray(fc.string({ minLength: field.blank ? 0 : 1, unit: 'grapheme' }), { minLength: 1 })
    case 'package':
      return fc.record(
        {
          name: fc.string({ minLength: 1, unit: 'grapheme' }),
          ecosystem: fc.constantFrom('', 'npm', 'maven', 'pypi'),
        },
        { requiredKeys: ['name'], noNullPrototype: true },
      )
    case 'text':
      return fc.string({ minLength: 1, unit: 'grapheme' })
    case 'number':
      return fc.integer({ min: 1, max: 2_147_483_647 })
    case 'flag':
      return fc.boolean()
    case 'period':
      return fc
        .oneof(fc.record({ since: day, until: day }), fc.record({ since: day }), fc.record({ until: day }))
        .map((period) => ({ ...period }))
  }
}

const filters: fc.Arbitrary<Filter> = fc.record(
  Object.fromEntries(findingFields.map((field) => [field.wire, anyValue(field)])),
  { requiredKeys: [], noNullPrototype: true },
)

test('filter → address → filter for findings, whatever is asked', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      const address = formatSearch(writeFilter(findingFields, filter))
      const read = readFilter(findingFields, parseSearch(address), reserved)
      assert.deepEqual(read, { filter, lost: [] })
    }),
  )
})

test('the default is left out of the address, and all of it is said', () => {
  const open = readFilter(findingFields, []).filter
  assert.deepEqual(
    open.triageStates,
    ['OPEN', 'REOPENED', 'REVIEWING', 'FIXING'].map((state) => `TRIAGE_STATE_${state}`),
  )
  assert.equal(formatSearch(writeFilter(findingFields, open)), '')
  assert.equal(formatSearch(writeFilter(findingFields, {})), '?state=any')
})

test('what is not understood is kept and named, and asks for nothing', () => {
  const read = readFilter(
    findingFields,
    parseSearch('?sev=grave&colour=red&pr=x&raised=soon&sev=high&malicious=perhaps'),
    reserved,
  )
  assert.deepEqual(read.lost, [
    ['colour', 'red'],
    ['sev', 'grave'],
    ['pr', 'x'],
    ['malicious', 'perhaps'],
    ['raised', 'soon'],
  ])
  assert.deepEqual(read.filter.severities, ['SEVERITY_HIGH'])
  assert.equal(read.filter.pullRequest, undefined)
})
