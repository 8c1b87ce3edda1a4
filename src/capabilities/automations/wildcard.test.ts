import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchesWildcard } from './wildcard.ts'

/** What the pattern means, said by a regular expression, which is right but can take for ever. */
function oracle(pattern: string): RegExp {
  const source = pattern.replace(/\*\*|./gs, (token) => {
    if (token === '**') return '.*'
    if (token === '*') return '[^/]*'
    return token === '?' ? '[^/]' : token.replace(/[\\^$.|+()[\]{}]/, '\\$&')
  })
  return new RegExp(`^${source}$`, 's')
}

const letters = (...of: string[]) => fc.array(fc.constantFrom(...of), { maxLength: 8 }).map((all) => all.join(''))

test('wildcards match what they say', () => {
  fc.assert(
    fc.property(letters('a', 'b', '/', '.', '*', '**', '?'), letters('a', 'b', '/', '.'), (pattern, text) => {
      assert.equal(matchesWildcard(pattern, text), oracle(pattern).test(text))
    }),
    { numRuns: 2_000 },
  )
})

test('a pattern made to take for ever is answered', { timeout: 5_000 }, () => {
  assert.equal(matchesWildcard(`${'*a'.repeat(250)}b`, 'a'.repeat(1_000)), false)
})
