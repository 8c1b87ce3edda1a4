import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grouped, type Steps, sorted } from './steps.ts'

/** What they come to, and after how many steps. */
function run<T>(steps: Steps<T>): { result: T; count: number } {
  for (let count = 1; ; count++) {
    const step = steps.next()
    if (step.done) return { result: step.value, count }
  }
}

const items = Array.from({ length: 100_000 }, (_, at) => ({ at, key: (at * 7_919) % 1_009 }))
const compare = (a: { key: number }, b: { key: number }) => a.key - b.key

test('what is sorted in steps is as the language sorts it, and equal ones keep their order', () => {
  for (const length of [0, 1, 999, 1_000, 1_001, 2_000, 5_555]) {
    const some = items.slice(0, length)
    assert.deepEqual(run(sorted(some, compare)).result, some.toSorted(compare))
  }
})

test('sorting and grouping very much takes many small steps', () => {
  // No step goes over more than a thousand of them.
  assert.ok(run(sorted(items, compare)).count > items.length / 256)
  const { result, count } = run(grouped(items, ({ key }) => String(key)))
  assert.equal(result.size, 1_009)
  assert.ok(count > items.length / 1_000)
})
