import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRules, writeRules } from './rules.ts'

const teams = [
  { id: '3', name: 'Platform, core' },
  { id: '4', name: 'Payments' },
]

test('rules are read as they are written', () => {
  const text = 'Gatehouse Admins = admin\nPlatform = member, team Platform, core\nA = B = team Payments'
  const rules = readRules(`${text}\n\n`, teams)
  assert.deepEqual(rules, [
    { group: 'Gatehouse Admins', role: 'admin', teamId: null },
    { group: 'Platform', role: 'member', teamId: 3 },
    { group: 'A = B', role: null, teamId: 4 },
  ])
  assert.equal(writeRules(rules, teams), text)
})

for (const text of [
  'Admins',
  '= admin',
  'Admins = owner',
  'Admins =',
  'Admins = team Nobody',
  'Admins = admin, Payments',
]) {
  test(`the rule '${text}' is not understood`, () => {
    assert.throws(() => readRules(text, teams), /./)
  })
}
