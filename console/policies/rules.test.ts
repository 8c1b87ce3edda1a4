import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { PolicyRule } from '../../src/capabilities/policies/contract.ts'
import { modeForRule } from '../../src/capabilities/policies/mode-for-rule.ts'
import { foundByPattern } from './found.ts'
import { inOrderOfEffect, modes, ruleProblem, sameRules, winnerFor } from './rules.ts'

const rules: PolicyRule[] = [
  { rule: '*', mode: 'comment' },
  { rule: 'js.audit.*', mode: 'monitor' },
  { rule: 'js.audit.eval', mode: 'block' },
]

describe('rules of a policy', () => {
  test('stand in the order of effect', () => {
    assert.deepEqual(
      inOrderOfEffect(rules).map(({ rule }) => rule),
      ['js.audit.eval', 'js.audit.*', '*'],
    )
  })

  test('the winner shown is the one that the server takes', () => {
    const part = fc.constantFrom('a', 'b', 'a.b', 'a.b.c')
    const one = fc.record({
      rule: fc.tuple(part, fc.boolean()).map(([text, open]) => text + (open ? '*' : '')),
      mode: fc.constantFrom(...modes),
    })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ rule }) => rule }), part, (some, ruleId) => {
        assert.equal(winnerFor(some, ruleId)?.mode ?? 'monitor', modeForRule(some)(ruleId))
      }),
    )
  })

  test('each says of how many findings it decides, and each finding is counted once', () => {
    const counted = [
      { value: 'js.audit.eval', count: 3 },
      { value: 'js.audit.regexp', count: 2 },
      { value: 'py.sql', count: 4 },
      { value: 'py.xss', count: 1 },
    ]
    assert.deepEqual(Object.fromEntries(foundByPattern(rules, counted, true)), {
      'js.audit.eval': { atLeast: false, findings: 3, rules: ['js.audit.eval'] },
      'js.audit.*': { atLeast: false, findings: 2, rules: ['js.audit.regexp'] },
      '*': { atLeast: false, findings: 5, rules: ['py.sql', 'py.xss'] },
    })
    assert.equal(foundByPattern([], counted, true).size, 0)
    const some = foundByPattern(rules, counted, false)
    assert.deepEqual(
      [...some].map(([rule, { atLeast }]) => [rule, atLeast]),
      [
        ['js.audit.eval', false],
        ['js.audit.*', true],
        ['*', true],
      ],
      'a pattern may match rules that were not counted',
    )
  })

  test('are refused where the server would refuse them', () => {
    assert.equal(ruleProblem(rules, 'py.*'), undefined)
    for (const wrong of ['', 'a b', 'a*b', '*']) assert.ok(ruleProblem(rules, wrong), wrong)
  })

  test('are the same in any order', () => {
    assert.equal(sameRules(rules, rules.toReversed()), true)
    assert.equal(sameRules(rules, rules.slice(1)), false)
  })
})
