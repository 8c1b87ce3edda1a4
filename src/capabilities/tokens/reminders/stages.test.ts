import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueReminder } from './stages.ts'

const now = new Date('2026-05-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)

const cases: [life: number, left: number, reminded: number | null, due: number | undefined, why: string][] = [
  [90, 15, null, undefined, 'not yet'],
  [90, 14, null, 14, 'two weeks before'],
  [90, 10, 14, undefined, 'was told'],
  [90, 3, 14, 3, 'three days before'],
  [90, 2, null, 3, 'one reminder where nobody was told in time'],
  [90, 1, 3, undefined, 'was told twice'],
  [90, 0, 14, undefined, 'has ended'],
  [20, 14, null, undefined, 'is too short for two weeks'],
  [7, 3, null, 3, 'long enough for three days'],
  [5, 3, null, undefined, 'too short for any'],
]
for (const [life, left, reminded, due, why] of cases) {
  test(`a token of ${life} days with ${left} left, reminded ${reminded}: ${why}`, () => {
    const expires = inDays(left)
    const created = new Date(expires.getTime() - life * 86_400_000)
    assert.equal(dueReminder({ created_at: created, expires_at: expires, reminded_days: reminded }, now), due)
  })
}
