import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TriageState, triageStates } from '../../../domain/triage.ts'
import { type Decider, stateAfterReport } from './after-report.ts'

const triagedAt = new Date('2026-03-01T12:00:00Z')
const before = new Date('2026-03-01T11:59:59.999Z')
const after = new Date('2026-03-01T12:00:00.001Z')

const sameForAll = (state: TriageState | 'same') => triageStates.map((name) => [name, state] as const)

// Who decided, what the detector says and when, and what becomes of each state; the rest stays as it is.
const table: [Decider | null, boolean, Date, (readonly [TriageState, TriageState | 'same'])[]][] = [
  ['person', true, after, [...sameForAll('same'), ['TRIAGE_STATE_FIXED', 'TRIAGE_STATE_REOPENED']]],
  ['person', true, triagedAt, [...sameForAll('same'), ['TRIAGE_STATE_FIXED', 'TRIAGE_STATE_REOPENED']]],
  ['person', true, before, sameForAll('same')],
  ['person', false, after, sameForAll('same')],
  ['person', false, before, sameForAll('same')],
  ['automation', true, after, [...sameForAll('same'), ['TRIAGE_STATE_FIXED', 'TRIAGE_STATE_REOPENED']]],
  ['automation', true, before, [...sameForAll('same'), ['TRIAGE_STATE_FIXED', 'TRIAGE_STATE_REOPENED']]],
  ['automation', false, after, [...sameForAll('TRIAGE_STATE_FIXED'), ['TRIAGE_STATE_FIXED', 'same']]],
  [null, true, after, [['TRIAGE_STATE_OPEN', 'same']]],
  [null, false, after, [['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_FIXED']]],
]

for (const [decidedBy, detected, at, expected] of table) {
  const when = at < triagedAt ? 'before' : at > triagedAt ? 'after' : 'at the moment of'
  test(`decided by ${decidedBy}, ${detected ? 'seen' : 'not seen'} ${when} the decision`, () => {
    for (const [state, becomes] of new Map(expected)) {
      const standing = { state, decidedBy, triagedAt: decidedBy ? triagedAt : null }
      assert.equal(stateAfterReport(standing, { detected, at }) ?? 'same', becomes, state)
    }
  })
}
