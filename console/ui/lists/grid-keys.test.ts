import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOf } from './grid-keys.ts'

const keyOf = (row: string) => row

test('the current row stays the same one where rows come or go above it', () => {
  const current = { index: 1, key: 'b' }
  assert.equal(placeOf(['a', 'b', 'c'], keyOf, current), 1)
  assert.equal(placeOf(['new', 'a', 'b', 'c'], keyOf, current), 2)
  assert.equal(placeOf(['b', 'c'], keyOf, current), 0)
})

test('once the current row has gone, it is the one in its place, or the last', () => {
  assert.equal(placeOf(['a', 'c', 'd'], keyOf, { index: 1, key: 'b' }), 1)
  assert.equal(placeOf(['a'], keyOf, { index: 1, key: 'b' }), 0)
  assert.equal(placeOf([], keyOf, { index: 1, key: 'b' }), 0)
})

test('who has not gone to a row yet is at the first, whatever comes above', () => {
  assert.equal(placeOf(['new', 'a'], keyOf, { index: 0 }), 0)
})
