import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../api/problem.ts'
import { inParts, partsOf, sayingSo } from './in-parts.ts'

const refusal = new Problem({ status: 503, code: 'busy', title: '', detail: 'Try later.', requestId: '', errors: [] })

test('parts are as large as they may be, and every row is in one', () => {
  assert.deepEqual(partsOf([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]])
  assert.deepEqual(partsOf([], 2), [])
})

test('what was done before a refusal counts as done, and nothing is begun after it', async () => {
  const begun: number[] = []
  const run = async (part: number) => {
    begun.push(part)
    if (part === 3) throw refusal
  }
  assert.deepEqual(await inParts([1, 2], run), { done: 2, refused: undefined })
  assert.deepEqual(await inParts([1, 3, 4], run), { done: 1, refused: refusal })
  assert.deepEqual(begun, [1, 2, 1, 3])
  assert.equal(sayingSo('1 is done.', refusal), '1 is done. Then it stopped: Try later.')
  assert.equal(sayingSo('2 are done.', undefined), '2 are done.')
})
