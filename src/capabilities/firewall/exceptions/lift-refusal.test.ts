import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Malice, Verdict } from '../verdicts/verdict.ts'
import { createExceptionTable } from './exception-table.ts'
import { liftRefusal } from './lift-refusal.ts'

const now = new Date('2026-11-15T12:00:00Z')
const expiresAt = new Date('2026-11-20T00:00:00Z')
const granted = {
  id: 1,
  ecosystem: 'npm',
  name: 'left',
  versions: '',
  reason: 'ok',
  expiresAt,
  lifts: ['override-1'],
} as const
const table = createExceptionTable([{ ...granted, members: undefined }])
const question = { ecosystem: 'npm', name: 'left', version: '1.0.0', personId: 7 } as const
const harmless: Malice = { advisoryIds: [], heldIds: [], pardon: '' }
const refused: Verdict = {
  decision: 'block',
  refuse: true,
  rule: 'too_young',
  reason: 'young',
  advisoryIds: [],
  dataAgeSeconds: 1,
}

const cases: [what: string, verdict: Partial<Verdict>, malice: Partial<Malice>, refuse: boolean][] = [
  ['what is too young is lifted', {}, {}, false],
  ['what waits for a person is lifted', { decision: 'held', rule: 'held', advisoryIds: ['MAL-1'] }, {}, false],
  ['known malware is not', { rule: 'malicious', advisoryIds: ['MAL-1'] }, {}, true],
  ['known malware that is too young is not', {}, { advisoryIds: ['MAL-1'] }, true],
  ['the deny that it was approved over is lifted', { rule: 'denied', advisoryIds: ['override-1'] }, {}, false],
  ['another deny is not', { rule: 'denied', advisoryIds: ['override-2'] }, {}, true],
  ['what is refused without advisories is not', { decision: 'undetermined', rule: 'no_advisories' }, {}, true],
  ['what is refused while a feed is missing is not', { decision: 'undetermined', rule: 'missing_feed' }, {}, true],
  ['an age that nobody knows is lifted', { decision: 'undetermined', rule: 'unknown_age' }, {}, false],
]
for (const [what, verdict, malice, refuse] of cases) {
  test(`by an exception, ${what}`, () => {
    const lifted = liftRefusal({ ...refused, ...verdict }, table, question, () => ({ ...harmless, ...malice }), now)
    assert.equal(lifted.refuse, refuse)
  })
}

test('what is let through anyway keeps its verdict', () => {
  const allowed: Verdict = { ...refused, decision: 'allow', refuse: false, rule: 'none', reason: '' }
  assert.equal(
    liftRefusal(allowed, table, question, () => harmless, now),
    allowed,
  )
})

test('an exception for a team is for its members, and of nobody in particular for nobody', () => {
  const ofTeam = createExceptionTable([{ ...granted, members: new Set([7]) }])
  const refuse = (personId?: number) =>
    liftRefusal(refused, ofTeam, { ...question, personId }, () => harmless, now).refuse
  assert.deepEqual([refuse(7), refuse(8), refuse()], [false, true, true])
})
