import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule, RuleMode } from './contract.ts'
import { modeForRule } from './mode-for-rule.ts'

const rules: PolicyRule[] = [
  { rule: '*', mode: 'comment' },
  { rule: 'python.*', mode: 'monitor' },
  { rule: 'python.flask.*', mode: 'block' },
  { rule: 'python.flask.debug', mode: 'disabled' },
  { rule: 'python.flask.debug*', mode: 'comment' },
  { rule: 'go.sql-injection', mode: 'block' },
]

const cases: [string, RuleMode][] = [
  ['java.xss', 'comment'],
  ['python', 'comment'],
  ['python.', 'monitor'],
  ['python.eval', 'monitor'],
  ['python.flask.open-redirect', 'block'],
  ['python.flask.debug', 'disabled'],
  ['python.flask.debug-mode', 'comment'],
  ['go.sql-injection', 'block'],
  ['go.sql-injection-2', 'comment'],
  ['Go.sql-injection', 'comment'],
  ['', 'comment'],
]

test('the longest match decides the mode of a rule', () => {
  for (const order of [rules, rules.toReversed()]) {
    const mode = modeForRule(order)
    for (const [ruleId, expected] of cases) assert.equal(mode(ruleId), expected, ruleId)
  }
})

test('a rule that nothing matches is monitored', () => {
  assert.equal(modeForRule([])('any'), 'monitor')
  assert.equal(modeForRule([{ rule: 'a*', mode: 'block' }])('b'), 'monitor')
})
