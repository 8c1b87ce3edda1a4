import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { cocoapods } from './ecosystem.ts'

test('Pod::Version is SemVer over the segments of RubyGems', () => {
  const lines = `
    1.0 = 1.0.0
    1.0.0-alpha < 1.0.0
    1.0.0-alpha < 1.0.0-alpha.1
    1.0.0-alpha.1 < 1.0.0-alpha.beta
    1.0.0-beta.2 < 1.0.0-beta.11
    1.0.0-beta2 < 1.0.0-beta11
    1.0.0-beta.1 = 1.0.0-beta1
    1.0.0+build = 1.0.0+other
    1.0.0-rc.1+build = 1.0.0-rc.1
    0.9 < 1.0.a.2
    1.0.a.2 < 1.0.b1
    1.0.b1 < 1.0
    1.0.0.1 > 1.0
    1.2-3 = 1.2.3
    HEAD < 0.0.1-alpha
  `
  assert.deepEqual(checkVersionLines(cocoapods, lines).disagreements, [])
})
