import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { deb } from './ecosystem.ts'

test('epochs, revisions, tildes, letters and signs', () => {
  const lines = `
    1.0~rc1 < 1.0
    1.0 < 1.0+dfsg
    1.0a < 1.0+
    1.0 = 1.0-0
    1.0-1 < 1.0-1+b1
    1:0.1 > 9.9
    1.9 < 1.10
    1.0-1~bpo1 < 1.0-1
    01.0 = 1.0
    1.0-1-1 > 1.0-1
    0:1 = 1
    x:1 < 0
    1.0~~ < 1.0~
    1.2.3-1ubuntu1 > 1.2.3-1
  `
  assert.deepEqual(checkVersionLines(deb, lines).disagreements, [])
})
