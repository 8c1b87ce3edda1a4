import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percent, roundedDown } from './percent.ts'

test('a probability is a percentage of three figures, and a comparison is never rounded up', () => {
  const number = (shown: string) => shown.replace('\u00a0%', '')
  assert.deepEqual([0.94358, 0.00043, 0.5, 1, 0].map(percent).map(number), ['94.4', '0.043', '50', '100', '0'])
  assert.deepEqual([0.99957, 0.98, 0.7, 1].map(roundedDown).map(number), ['99.9', '98', '70', '100'])
})
