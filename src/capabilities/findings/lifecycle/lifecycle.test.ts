import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cause, Decider, State } from '../../../domain/finding-codes.ts'
import { afterSighting, causeOf, type Decision, type Sighting } from './lifecycle.ts'

const seen: Sighting = { seen: true, cause: '' }
const gone: Sighting = { seen: false }
const suppressed: Sighting = { seen: true, cause: 'suppressed' }

const at = (state: State, decidedBy: Decider = 'observation', cause: Cause = ''): Decision => ({
  state,
  decidedBy,
  cause,
})
const doubtful = at('provisionally-ignored', 'rule', 'suppressed')

const rows: [what: string, before: Decision | undefined, sighting: Sighting, after: Decision | undefined][] = [
  ['first seen', undefined, seen, at('open')],
  ['first seen, with a sign that it is of no concern', undefined, suppressed, doubtful],
  ['never seen', undefined, gone, undefined],
  ['seen again', at('open'), seen, undefined],
  ['no longer there', at('open'), gone, at('fixed')],
  ['still not there', at('fixed'), gone, undefined],
  ['back again', at('fixed'), seen, at('reopened')],
  ['back again, with a sign', at('fixed'), suppressed, doubtful],
  ['its pull request ended, and is scanned again', at('ended'), seen, at('reopened')],
  ['its pull request ended, and is scanned again, with a sign', at('ended'), suppressed, doubtful],
  ['its pull request ended, and it is gone', at('ended'), gone, at('fixed')],
  ['a person called it fixed, and it is not', at('fixed', 'person'), seen, at('reopened')],
  ['a sign appears', at('open'), suppressed, doubtful],
  ['the sign stays', doubtful, suppressed, undefined],
  ['the sign disappears', doubtful, seen, at('open')],
  ['another sign', doubtful, { seen: true, cause: 'unreachable' }, at('provisionally-ignored', 'rule', 'unreachable')],
  ['ignored by a rule and gone', doubtful, gone, at('fixed')],
  ['a person keeps it open in spite of a sign', at('open', 'person'), suppressed, undefined],
  ['a person reviews it', at('reviewing', 'person'), seen, undefined],
  ['a person reviews it and it is gone', at('reviewing', 'person'), gone, at('fixed')],
  ['a person works on it and it is gone', at('fixing', 'person'), gone, at('fixed')],
  ['ignored by a person', at('ignored', 'person'), seen, undefined],
  ['ignored by a person and gone', at('ignored', 'person'), gone, undefined],
  ['provisionally ignored by a person and gone', at('provisionally-ignored', 'person'), gone, undefined],
  ['ignored by an automation', at('ignored', 'automation'), seen, undefined],
  ['ignored by an automation and gone', at('ignored', 'automation'), gone, at('fixed')],
  ['ignored by a memory, without a sign of its own', at('provisionally-ignored', 'memory'), seen, undefined],
  ['ignored by a memory and gone', at('provisionally-ignored', 'memory'), gone, at('fixed')],
]

for (const [what, before, sighting, after] of rows) {
  test(`a finding: ${what}`, () => assert.deepEqual(afterSighting(before, sighting), after))
}

const plain = { product: 'code', suppressed: false, verdict: '', validity: '', reachability: '' }
const signs: [signs: Partial<typeof plain>, cause: Cause][] = [
  [{}, ''],
  [{ suppressed: true }, 'suppressed'],
  [{ verdict: 'false-positive' }, 'false-positive'],
  [{ verdict: 'true-positive' }, ''],
  [{ product: 'secrets', validity: 'invalid' }, 'invalid-secret'],
  [{ product: 'secrets', validity: 'valid' }, ''],
  [{ product: 'code', validity: 'invalid' }, ''],
  [{ product: 'sca', reachability: 'unreachable' }, 'unreachable'],
  [{ product: 'sca', reachability: 'unknown' }, ''],
  [{ product: 'sca', reachability: 'unreachable', suppressed: true }, 'unreachable'],
]

for (const [given, cause] of signs) {
  test(`${JSON.stringify(given)} is ${cause || 'no sign'}`, () => assert.equal(causeOf({ ...plain, ...given }), cause))
}
