import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Backoff, waitSeconds } from './backoff.ts'

const backoff: Backoff = { firstSeconds: 10, factor: 3, mostSeconds: 1_000 }

const waits: [what: string, attempt: number, asked: number | undefined, least: number, most: number][] = [
  ['the first time by ourselves', 1, undefined, 7.5, 12.5],
  ['later by ourselves', 4, undefined, 202.5, 337.5],
  ['at most by ourselves', 9, undefined, 750, 1_250],
  ['a receiver that asks for longer', 1, 60, 60, 75],
  ['a receiver that asks for less than we wait anyway', 4, 60, 202.5, 337.5],
  ['a receiver that would have us back at once', 4, 0, 202.5, 337.5],
  ['a receiver that would be rid of us for good', 1, 1e20, 1_000, 1_250],
]

for (const [what, attempt, asked, least, most] of waits) {
  test(`${what}: ${least} to ${most} seconds`, () => {
    const spread = [0, 1].map((random) => waitSeconds(attempt, backoff, () => random, asked))
    assert.deepEqual(spread, [least, most])
  })
}
