import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadShare, uploadShare } from './memory-shares.ts'

const gibibyte = 1024 ** 3
const usual = { workers: 3, perKey: 2, memoryMebibytes: 768 }

test('threads are fewer where memory is short, and then smaller', () => {
  const table: [gibibytes: number, workers: number, perKey: number, memoryMebibytes: number][] = [
    [64, 3, 2, 768],
    [8, 3, 2, 768],
    [6, 2, 1, 768],
    [4, 1, 1, 768],
    [1, 1, 1, 288],
    [0.25, 1, 1, 128],
  ]
  for (const [gibibytes, workers, perKey, memoryMebibytes] of table) {
    assert.deepEqual(threadShare(usual, gibibytes * gibibyte), { workers, perKey, memoryMebibytes }, `${gibibytes} GiB`)
  }
})

test('uploads are fewer at once where memory is short, and large ones take turns', () => {
  assert.deepEqual(uploadShare(64 * gibibyte), { atOnce: 128, largeAtOnce: 8 })
  assert.deepEqual(uploadShare(gibibyte), { atOnce: 16, largeAtOnce: 1 })
})
