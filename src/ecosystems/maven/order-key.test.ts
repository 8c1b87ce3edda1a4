import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { maven } from './ecosystem.ts'

test('the corners of ComparableVersion', () => {
  const lines = `
    1-alpha < 1
    1-ga0 = 1
    1 < 1-ga1
    1-ga2 > 1-ga1
    1.0.0-foo.0.0 = 1-foo
    1.0-0-alpha = 1-alpha
    1.0-1 > 1-1
    1-foo.2 > 1.foo.5
    1.foo.5 > 1-foo
    1-foo.alpha < 1.foo
    1-foo.alpha < 1.foo-alpha
    1.ga.5 > 1
    1.ga-alpha < 1
    1x-1 = 1.x1
    1-rc.1 < 1-rc1
    1-a = 1a
    1-a < 1-b
    1-a > 1-a1
    00012 = 12
    1.constructor > 1.abc
    - = 0
    -- = .
  `
  assert.deepEqual(checkVersionLines(maven, lines).disagreements, [])
})
