import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { rpm } from './ecosystem.ts'

test('epochs, releases, tildes and carets', () => {
  const lines = `
    1.0~rc1 < 1.0
    1.0 < 1.0^git1
    1.0^git1 < 1.0.1
    1.0a < 1.0.1
    1.0-1.el9 < 1.0-1.el9_2
    1:0.1 > 9.9-1
    1.0 < 1.0-1
    1.0.0 > 1.0
    1.0_1 = 1.0.1
    1.010 = 1.10
    a < 1
    (none):1.0-1 = 1.0-1
    2.0.1a > 2.0.1
    1.0-1~ < 1.0-1
  `
  assert.deepEqual(checkVersionLines(rpm, lines).disagreements, [])
})
