import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimTrialSentences } from './claim-words.ts'

const nothing = { names: 0, truncated: false, refusedBefore: 0, refusedAfter: 0, changes: [] }
const registry = { askedOf: 'registry', seenThere: false } as const
const cases: [what: string, trial: Parameters<typeof claimTrialSentences>[0], said: string[]][] = [
  ['nobody asked for anything', nothing, ['No client asked for a package in the last 30 days.']],
  [
    'nothing that was asked for is meant',
    { ...nothing, names: 1 },
    ['Of the 1 name that clients asked for in the last 30 days, none is touched.'],
  ],
  [
    'some would be refused',
    { ...nothing, names: 5_000, truncated: true, refusedAfter: 1, changes: [{ askedOf: 'nobody', seenThere: false }] },
    [
      'Of the latest 5,000 names that clients asked for in the last 30 days, 1 would be asked of somebody else.',
      '1 name would be refused instead of 0.',
    ],
  ],
  [
    'a registry would be asked that was not seen to have them',
    { ...nothing, names: 9, changes: [registry, { ...registry, seenThere: true }] },
    [
      'Of the 9 names that clients asked for in the last 30 days, 2 would be asked of somebody else.',
      'Your registry was not seen to have 1 of them: clients may no longer get these.',
    ],
  ],
]

for (const [what, trial, said] of cases) test(what, () => assert.deepEqual(claimTrialSentences(trial), said))
