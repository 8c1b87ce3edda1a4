import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allLicences, isLicenceExpression, isLicenceId, spelledAsListed, stated } from './licence.ts'

const ids: [string, boolean][] = [
  ['MIT', true],
  ['GPL-2.0', true],
  ['GPL-2.0+', true],
  ['Classpath-exception-2.0', true],
  ['Apache-2', false],
  ['MIT OR ISC', false],
  ['LicenseRef-x', false],
  ['', false],
]
for (const [id, expected] of ids) {
  test(`'${id}' is ${expected ? '' : 'not '}on the list`, () => assert.equal(isLicenceId(id), expected))
}

const expressions: [string, boolean][] = [
  ['MIT OR (Apache-2.0 AND LicenseRef-x)', true],
  ['GPL-2.0-only WITH Classpath-exception-2.0', true],
  ['Apache License 2.0', false],
  ['MIT AND', false],
  ['('.repeat(10_000), false],
  [`${'MIT AND '.repeat(10_000)}MIT`, false],
]
for (const [text, expected] of expressions) {
  test(`'${text.slice(0, 40)}' is ${expected ? 'an' : 'no'} expression`, () => {
    assert.equal(isLicenceExpression(text), expected)
  })
}

const spellings: [string, string][] = [
  ['mit', 'MIT'],
  ['(Apache-2.0 OR mit)', '(Apache-2.0 OR MIT)'],
  ['gpl-2.0+', 'GPL-2.0+'],
  ['GPL-2.0-ONLY WITH classpath-exception-2.0', 'GPL-2.0-only WITH Classpath-exception-2.0'],
  ['isc AND LicenseRef-mit', 'ISC AND LicenseRef-mit'],
  ['mit License', 'mit License'],
  ['mit AND', 'mit AND'],
  ['', ''],
  [`${'mit AND '.repeat(10_000)}mit`, `${'mit AND '.repeat(10_000)}mit`],
]
for (const [text, expected] of spellings) {
  test(`'${text.slice(0, 50)}' is spelled '${expected.slice(0, 50)}'`, () =>
    assert.equal(spelledAsListed(text), expected))
}

const sets: [string[], string][] = [
  [[], ''],
  [['', ' '], ''],
  [['Anything at all'], 'Anything at all'],
  [['MIT', 'MIT'], 'MIT'],
  [['MIT', 'ISC OR 0BSD'], 'MIT AND (ISC OR 0BSD)'],
  [['MIT', 'The “Best” Licence'], 'MIT AND LicenseRef-The-Best-Licence'],
]
for (const [texts, expected] of sets) {
  test(`${JSON.stringify(texts)} together are '${expected}'`, () => {
    assert.equal(allLicences(texts), expected)
    if (texts.length > 1 && expected !== '') assert.ok(isLicenceExpression(expected))
  })
}

test('what says that nothing is known says nothing', () => {
  assert.deepEqual(['NOASSERTION', 'NONE', 'MIT'].map(stated), ['', '', 'MIT'])
})
