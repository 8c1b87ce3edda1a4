import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingFields, reserved } from '../../findings/filter.ts'
import { formatSearch, parseSearch } from './address.ts'
import { readFilter, writeFilter } from './filter.ts'

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
