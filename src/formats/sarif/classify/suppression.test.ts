import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResult } from '../test-log.ts'

const table: { what: string; suppressions: unknown; suppressed: boolean }[] = [
  { what: 'none', suppressions: undefined, suppressed: false },
  { what: 'an empty list', suppressions: [], suppressed: false },
  { what: 'in the source', suppressions: [{ kind: 'inSource' }], suppressed: true },
  { what: 'accepted', suppressions: [{ kind: 'external', status: 'accepted' }], suppressed: true },
  { what: 'under review', suppressions: [{ kind: 'external', status: 'underReview' }], suppressed: false },
  { what: 'rejected', suppressions: [{ kind: 'external', status: 'rejected' }], suppressed: false },
  {
    what: 'accepted once, rejected once',
    suppressions: [{ kind: 'inSource' }, { kind: 'external', status: 'rejected' }],
    suppressed: false,
  },
  { what: 'not a list', suppressions: 'yes', suppressed: false },
]

for (const { what, suppressions, suppressed } of table) {
  test(`suppressions: ${what}`, () => assert.equal(readResult({}, { suppressions }).suppressed, suppressed))
}

test('who suppressed it, and why', () => {
  const { suppressions } = readResult(
    {},
    { suppressions: [{ kind: 'external', status: 'underReview', justification: ' False alarm ' }] },
  )
  assert.deepEqual(suppressions, [{ kind: 'external', status: 'underReview', justification: 'False alarm' }])
})
