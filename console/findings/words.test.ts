import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeSentence } from './words.ts'

const change = {
  seq: 1,
  toState: 'TRIAGE_STATE_OPEN',
  toReason: 'TRIAGE_REASON_UNSPECIFIED',
  decidedBy: 'DECIDER_OBSERVATION',
  deciderName: '',
  deciderId: '',
  cause: 'CAUSE_UNSPECIFIED',
  scanId: 0,
}

test('what advisories brought between scans is not said to be seen by a scan', () => {
  assert.equal(changeSentence(change, 'osv'), 'as advisories say')
  assert.equal(changeSentence(change, 'malware'), 'as advisories say')
  assert.equal(changeSentence(change, 'sarif:semgrep'), 'seen by a scan')
  assert.equal(changeSentence({ ...change, scanId: 7 }, 'osv'), 'seen by scan 7')
})
