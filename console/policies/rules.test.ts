import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { PolicyRule } from '../../src/capabilities/policies/contract.ts'
import { modeForRule } from '../../src/capabilities/policies/mode-for-rule.ts'
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

  test('are refused where the server would refuse them', () => {
    assert.equal(ruleProblem(rules, 'py.*'), undefined)
    for (const wrong of ['', 'a b', 'a*b', '*']) assert.ok(ruleProblem(rules, wrong), wrong)
  })

  test('are the same in any order', () => {
    assert.equal(sameRules(rules, rules.toReversed()), true)
    assert.equal(sameRules(rules, rules.slice(1)), false)
  })
})
