import assert from 'node:assert/strict'
import { test } from 'node:test'
import { licenceIds } from './licence-ids.ts'

const cases: [text: string, ids: string[]][] = [
  ['MIT', ['MIT']],
  ['(MIT OR Apache-2.0)', ['Apache-2.0', 'MIT']],
  ['MIT AND MIT', ['MIT']],
  ['GPL-2.0+', ['GPL-2.0']],
  ['GPL-2.0-only WITH Classpath-exception-2.0', ['GPL-2.0-only']],
  ['(MIT AND (BSD-3-Clause OR LicenseRef-own))', ['BSD-3-Clause', 'LicenseRef-own', 'MIT']],
  ['Apache License 2.0', []],
  ['SEE LICENSE IN LICENSE.md', []],
  ['', []],
  ['('.repeat(2000), []],
]

test('the ids that take part in a licence expression', () => {
  for (const [text, ids] of cases) assert.deepEqual(licenceIds(text), ids, text.slice(0, 60))
})
