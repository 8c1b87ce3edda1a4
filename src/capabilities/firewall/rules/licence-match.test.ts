import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsForLicence } from './licence-match.ts'

const listed = new Set(['mit', 'apache-2.0', 'gpl-2.0-only', 'gpl-2.0+'])

/** What can be used under listed licences alone, and what under others alone. */
const cases: [expression: string, underListed: boolean, underOthers: boolean][] = [
  ['MIT', true, false],
  ['mit', true, false],
  ['ISC', false, true],
  ['', false, true],
  ['MIT OR ISC', true, true],
  ['MIT AND ISC', false, false],
  ['MIT AND Apache-2.0', true, false],
  ['mit AND apache-2.0', true, false],
  ['(isc or mit)', true, true],
  ['MIT OR Apache-2.0', true, false],
  ['(MIT OR ISC) AND Apache-2.0', true, false],
  ['(MIT AND ISC) OR Apache-2.0', true, false],
  ['(MIT AND ISC) OR BSD-3-Clause', false, true],
  ['ISC AND (MIT OR Apache-2.0)', false, false],
  ['GPL-2.0-only WITH Classpath-exception-2.0', true, false],
  ['GPL-2.0+', true, false],
  ['GPL-2.0', false, true],
  ['SEE LICENSE IN LICENSE.md', false, true],
  ['MIT and more', false, true],
  ['(MIT', false, true],
]

for (const [expression, underListed, underOthers] of cases) {
  test(`a rule lets in what can be used as it says, and keeps out what can be used in no other way: '${expression}'`, () => {
    const holds = (effect: 'allow' | 'refuse' | 'hold' | 'warn', licencesAre: 'listed' | 'not_listed') =>
      holdsForLicence({ effect, licencesAre }, expression, listed)
    assert.equal(holds('allow', 'listed'), underListed)
    assert.equal(holds('allow', 'not_listed'), underOthers)
    for (const effect of ['refuse', 'hold', 'warn'] as const) {
      assert.equal(holds(effect, 'listed'), !underOthers, effect)
      assert.equal(holds(effect, 'not_listed'), !underListed, effect)
    }
  })
}
