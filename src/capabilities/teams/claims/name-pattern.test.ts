import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expressionOf, wrongIn } from './name-pattern.ts'

const cases: [pattern: string, name: string, matches: boolean][] = [
  ['payments/*', 'payments/api', true],
  ['payments/*', 'payments/api/v2', false],
  ['payments/*', 'payments', false],
  ['payments/*', 'xpayments/api', false],
  ['payments/**', 'payments/api/v2', true],
  ['payments/**', 'paymentsx/api', false],
  ['payments/api', 'payments/api', true],
  ['payments/api', 'payments/apix', false],
  ['*-infra', 'shop-infra', true],
  ['*-infra', 'team/shop-infra', false],
  ['a.b/*', 'axb/c', false],
  ['a.b/*', 'a.b/c', true],
  ['a+b(c)/*', 'a+b(c)/d', true],
  ['Payments/*', 'payments/api', false],
  ['**', 'any/thing at all', true],
]
for (const [pattern, name, matches] of cases) {
  test(`${pattern} ${matches ? 'matches' : 'does not match'} ${name}`, () =>
    assert.equal(new RegExp(expressionOf(pattern), 'u').test(name), matches))
}

test('a pattern that cannot be meant is refused', () => {
  assert.deepEqual(
    ['a/*', 'a***', 'a//b', '/a', 'a/', '*a*b*c*d*e*f*g'].map((pattern) => wrongIn(pattern) !== undefined),
    [false, true, true, true, true, true],
  )
})
