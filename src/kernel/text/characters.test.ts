import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasLength } from './characters.ts'

const cases: [text: string, least: number, most: number, fits: boolean][] = [
  ['', 0, 5, true],
  ['', 1, 5, false],
  ['abcde', 1, 5, true],
  ['abcdef', 1, 5, false],
  ['🚀🚀🚀🚀🚀', 1, 5, true],
  ['🚀🚀🚀🚀🚀a', 1, 5, false],
  ['aaaaaa🚀', 1, 5, false],
  ['🚀🚀', 3, 5, false],
  ['🚀🚀🚀', 3, 5, true],
  // Two code points, as PostgreSQL counts it too.
  ['e\u0301', 2, 2, true],
]

for (const [text, least, most, fits] of cases) {
  test(`'${text}' has ${fits ? '' : 'not '}${least} to ${most} characters`, () => {
    assert.equal(hasLength(text, least, most), fits)
    assert.equal([...text].length >= least && [...text].length <= most, fits)
  })
}
