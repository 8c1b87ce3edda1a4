import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopeBurst } from './scope-burst.ts'

const minute = 60_000
const week = 7 * 24 * 60 * minute
const [before, now] = [10 * week, 11 * week]
const burst = (packages: number[][], at = now) => scopeBurst('@acme', packages, at, [before])

test('many packages of a scope at once, which never came out together, are a burst', () => {
  const packages = Array.from({ length: 6 }, (_, i) => [i * week, now + i * minute])
  packages[0]!.push(before)
  const [signal] = burst(packages)
  assert.equal(signal?.signal, 'scope_burst')
  assert.match(signal!.because, /^6 versions of 6 packages of @acme came out within an hour, 1 around/)
})

test('a scope whose packages always come out together shows none, unless each comes out twice', () => {
  const together = Array.from({ length: 8 }, () => [before, now])
  assert.deepEqual(burst(together), [])
  const twice = together.map((times) => [...times, now + 6 * minute])
  assert.match(burst(twice)[0]!.because, /^16 versions of 8 packages.*8 around/)
})

test('a few packages, and a first release, are no burst', () => {
  assert.deepEqual(burst(Array.from({ length: 4 }, () => [now])), [])
  assert.deepEqual(
    scopeBurst(
      '@acme',
      Array.from({ length: 9 }, () => [now]),
      now,
      [],
    ),
    [],
  )
  assert.deepEqual(burst(Array.from({ length: 6 }, (_, i) => [now + i * 61 * minute])), [], 'hours apart')
})
