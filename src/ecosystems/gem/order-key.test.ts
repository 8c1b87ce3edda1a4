import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { gem } from './ecosystem.ts'

test('zeros and words of Gem::Version', () => {
  const lines = `
    1.0.a = 1.a
    1.a.0 = 1.a
    1.a.0.b < 1.a
    1.a.0.1 > 1.a
    1.a.0.0.b > 1.a.0.b
    1.a.0.0.1 < 1.a.0.1
    1-rc1 = 1.pre.rc1
    1.B < 1.a
    1.9.3 < 1.10
  `
  assert.deepEqual(checkVersionLines(gem, lines).disagreements, [])
})

test('the platform of a binary gem is not part of its version', () => {
  const lines = `
    1.13.3-x86_64-linux = 1.13.3
    1.13.3-arm64-darwin = 1.13.3
    1.13.3-java = 1.13.3
    1.13.3-universal-java-11 = 1.13.3
    1.13.4.rc1-x64-mingw-ucrt = 1.13.4.rc1
    1.13.3-beta < 1.13.3
  `
  assert.deepEqual(checkVersionLines(gem, lines).disagreements, [])
})
