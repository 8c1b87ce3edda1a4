import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteCache } from './byte-cache.ts'

const filled = (keys: string) => {
  const cache = createByteCache<string>(4)
  for (const key of keys) cache.set(key, key, 1)
  return cache
}
const kept = (cache: ReturnType<typeof filled>, keys: string) =>
  [...keys].filter((key) => cache.get(key) !== undefined).join('')

test('what came first goes first, unless it was used since', () => {
  const cache = filled('abcd')
  cache.get('a')
  cache.set('e', 'e', 1)
  assert.equal(kept(cache, 'abcde'), 'acde')
})

test('what was used once is not kept for good', () => {
  const cache = filled('abcd')
  cache.get('a')
  for (const key of 'efghi') cache.set(key, key, 1)
  assert.equal(kept(cache, 'abcdefghi'), 'fghi')
})

test('a new value finds room where all others are in use', () => {
  const cache = filled('abcd')
  for (const key of 'abcd') cache.get(key)
  cache.set('e', 'e', 1)
  assert.equal(kept(cache, 'abcde'), 'bcde')
  assert.equal(cache.bytes(), 4)
})

test('a value that is too large for the others is not kept', () => {
  const cache = filled('abcd')
  cache.set('a', 'large', 2)
  assert.equal(kept(cache, 'abcd'), 'bcd')
  assert.equal(cache.bytes(), 3)
})
