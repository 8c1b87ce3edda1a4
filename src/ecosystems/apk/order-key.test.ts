import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { apk } from './ecosystem.ts'

test('numbers, letters, suffixes, hashes and revisions', () => {
  const lines = `
    1.0_alpha < 1.0_beta
    1.0_rc1 < 1.0
    1.0 < 1.0_git20230101
    1.0_p1 > 1.0_hg
    1.0-r1 < 1.0-r10
    1.0 < 1.0-r0
    1.0a > 1.0_p9
    1.0.1 > 1.0a
    1.05 < 1.5
    1.1 < 1.10
    1.01 < 1.010
    1.0~abc > 1.0
    1.0~abc > 1.0-r1
    1.0_odd < 1.0
    1.0_odd > 1.0_rc1
    2 > 1.9
    v1 < 0
  `
  assert.deepEqual(checkVersionLines(apk, lines).disagreements, [])
})
