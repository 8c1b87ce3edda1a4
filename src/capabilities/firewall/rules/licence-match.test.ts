import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isListedLicence } from './licence-match.ts'

const listed = new Set(['mit', 'apache-2.0', 'gpl-2.0-only'])

const cases: [expression: string, isListed: boolean][] = [
  ['MIT', true],
  ['mit', true],
  ['ISC', false],
  ['', false],
  ['MIT OR ISC', true],
  ['MIT AND ISC', false],
  ['MIT AND Apache-2.0', true],
  ['(MIT OR ISC) AND Apache-2.0', true],
  ['(MIT AND ISC) OR Apache-2.0', true],
  ['ISC AND (MIT OR Apache-2.0)', false],
  ['GPL-2.0-only WITH Classpath-exception-2.0', true],
  ['SEE LICENSE IN LICENSE.md', false],
  ['MIT and more', false],
  ['(MIT', false],
]

for (const [expression, isListed] of cases) {
  test(`'${expression}' is ${isListed ? '' : 'not '}on the list`, () => {
    assert.equal(isListedLicence(expression, listed), isListed)
  })
}
