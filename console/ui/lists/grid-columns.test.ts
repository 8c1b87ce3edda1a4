import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsFor } from './grid-columns.ts'

const columns = [
  { id: 'severity', width: '84px', narrow: '20px' },
  { id: 'finding', width: 'minmax(160px, 3fr)' },
  { id: 'file', width: 'minmax(120px, 1fr)', from: 900 },
  { id: 'state', width: '118px', narrow: '86px' },
  { id: 'raised', width: '92px' },
]
const shown = (px: number, isPicked = true) => columnsFor(columns, px, isPicked).map(({ id }) => id)

test('a list shows the columns that fit, and those on the right give way first', () => {
  assert.deepEqual(shown(1_200), ['severity', 'finding', 'file', 'state', 'raised'])
  assert.deepEqual(shown(800), ['severity', 'finding', 'state', 'raised'])
  assert.deepEqual(shown(500), ['severity', 'finding', 'state'])
  assert.deepEqual(shown(360), ['severity', 'finding', 'state'])
})

test('what a row is stays, however narrow the list', () => {
  assert.deepEqual(shown(0), ['severity', 'finding'])
  assert.deepEqual(shown(200, false), ['severity', 'finding'])
})

test('on a telephone a column may take less', () => {
  assert.equal(columnsFor(columns, 360, true)[0]!.width, '20px')
  assert.equal(columnsFor(columns, 600, true)[0]!.width, '84px')
})
