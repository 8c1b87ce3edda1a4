import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../../test/depth.ts'
import { compileWildcard } from './wildcard.ts'

/** What the pattern means, said by a regular expression, which is right but can take for ever. */
function oracle(pattern: string): RegExp {
  const source = pattern.replace(/\*\*|./gs, (token) => {
    if (token === '**') return '.*'
    if (token === '*') return '[^/]*'
    return token === '?' ? '[^/]' : token.replace(/[\\^$.|+()[\]{}]/, '\\$&')
  })
  return new RegExp(`^${source}$`, 's')
}

const letters = (maxLength: number, ...of: string[]) =>
  fc.array(fc.constantFrom(...of), { maxLength }).map((all) => all.join(''))

test('wildcards match what they say', () => {
  fc.assert(
    fc.property(letters(8, 'a', 'b', '/', '.', '*', '**', '?'), letters(8, 'a', 'b', '/', '.'), (pattern, text) => {
      assert.equal(compileWildcard(pattern)(text), oracle(pattern).test(text))
    }),
    { numRuns: often(2_000) },
  )
})

test('so do patterns longer than a word of bits', () => {
  // Made of a text, so that many of them match it.
  const made = fc.tuple(letters(120, 'a', 'b', '/'), fc.infiniteStream(fc.nat(9)))
  fc.assert(
    fc.property(made, ([text, choices]) => {
      const instead = (character: string) =>
        [character, character, '?', '*', '**'][choices.next().value! % 7] ?? character
      const pattern = [...text]
        .map(instead)
        .join('')
        .replace(/\*{3,}/g, '**')
      assert.equal(compileWildcard(pattern)(text), oracle(pattern).test(text), pattern)
    }),
    { numRuns: often(500) },
  )
})

test('a pattern made to take for ever is answered', { timeout: 5_000 }, () => {
  assert.equal(compileWildcard(`${'*a'.repeat(250)}b`)('a'.repeat(1_000)), false)
})
