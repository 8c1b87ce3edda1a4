import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findInBatches, groupBatches, isSentAtOnce } from './packed-files.ts'

const file = (path: string, ...sizes: number[]) => ({ path, packed: { batches: sizes.map((size) => ({ size })) } })
const sizesOf = (...sizes: number[]) =>
  groupBatches(sizes.map((size) => ({ batch: { size } }))).map((some) => some.map(({ batch }) => batch.size))

test('batches are sent together up to 8,000 entries and 20 batches', () => {
  assert.deepEqual(sizesOf(), [])
  assert.deepEqual(sizesOf(2_000, 2_000, 2_000, 2_000, 1), [[2_000, 2_000, 2_000, 2_000], [1]])
  assert.deepEqual(sizesOf(7_999, 2, 7_998, 1), [[7_999], [2, 7_998], [1]])
  assert.deepEqual(
    sizesOf(...Array.from({ length: 45 }, () => 10)).map((some) => some.length),
    [20, 20, 5],
  )
})

test('an upload is sent at once if its files are few and small', () => {
  assert.equal(isSentAtOnce([]), true)
  assert.equal(isSentAtOnce([file('a', 2_000, 2_000), file('b', 2_000, 2_000)]), true)
  assert.equal(isSentAtOnce([file('a', 2_000, 2_000), file('b', 2_000, 2_001)]), false)
  const empty = Array.from({ length: 21 }, (_, at) => file(String(at)))
  assert.equal(isSentAtOnce(empty), false)
})

test('everything in all batches is found, a group at a time', async () => {
  let underWay = 0
  let most = 0
  const files = [file('a', 5_000, 3_000), file('b', 1), file('c'), file('d', 2)]
  const found = await findInBatches(files, async (path, { size }) => {
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay--
    return [`${path} ${size}`]
  })
  assert.deepEqual(found, ['a 5000', 'a 3000', 'b 1', 'd 2'])
  assert.equal(most, 2)
})
