import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes, type Plan, planSubscriptions, type Subscription } from './subscriptions.ts'

const url = 'https://gatehouse.example.com/hook'
const [push, created, updated] = eventTypes

function subscription(id: string, eventType: string, more: Partial<Subscription> = {}): Subscription {
  return { id, eventType, url, projectId: 'p', live: true, ...more }
}

const all = [subscription('1', push), subscription('2', created), subscription('3', updated)]

const cases: [string, Subscription[], Plan][] = [
  ['nothing is there', [], { keep: [], create: [...eventTypes], remove: [] }],
  ['all are there', all, { keep: ['1', '2', '3'], create: [], remove: [] }],
  ['one is missing', all.slice(1), { keep: ['2', '3'], create: [push], remove: [] }],
  ['one is there twice', [...all, subscription('4', push)], { keep: ['1', '2', '3'], create: [], remove: ['4'] }],
  [
    'one was switched off',
    [subscription('1', push, { live: false }), ...all.slice(1)],
    { keep: ['2', '3'], create: [push], remove: ['1'] },
  ],
  [
    'one is for another project',
    [subscription('1', push, { projectId: 'q' }), ...all.slice(1)],
    { keep: ['2', '3'], create: [push], remove: ['1'] },
  ],
  [
    'one of ours leads to a former address',
    [subscription('known', push, { url: 'https://old.example.com/hook' }), ...all],
    { keep: ['1', '2', '3'], create: [], remove: ['known'] },
  ],
  [
    'somebody else subscribed to the same',
    [subscription('9', push, { url: 'https://other.example.com/hook' })],
    { keep: [], create: [...eventTypes], remove: [] },
  ],
  [
    'an event nobody asked for',
    [...all, subscription('5', 'tfvc.checkin')],
    { keep: ['1', '2', '3'], create: [], remove: ['5'] },
  ],
]

for (const [name, existing, expected] of cases) {
  test(`subscriptions: ${name}`, () => {
    assert.deepEqual(planSubscriptions(existing, { url, projectId: 'p', knownIds: ['known'] }), expected)
  })
}
