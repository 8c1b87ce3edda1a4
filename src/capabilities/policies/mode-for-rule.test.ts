import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PolicyRule, RuleMode } from './contract.ts'
import { modeForRule, ruleThatDecides } from './mode-for-rule.ts'

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

test('it is what comparing with every rule says', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 })
  const pattern = fc.record({ beginning: text, whole: fc.boolean(), mode: fc.constantFrom('block', 'comment') })
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 30 }), text, (patterns, ruleId) => {
      const given = patterns.map(({ beginning, whole, mode }) => ({
        rule: whole ? beginning : `${beginning}*`,
        mode: mode as RuleMode,
      }))
      const unique = [...new Map(given.map((one) => [one.rule, one])).values()]
      const deciding = ruleThatDecides(unique, ruleId)
      const expected = unique.find(({ rule }) => rule === deciding)?.mode ?? 'monitor'
      assert.equal(modeForRule(unique)(ruleId), expected)
    }),
  )
})
