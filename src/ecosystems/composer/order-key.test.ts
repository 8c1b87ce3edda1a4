import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { composer } from './ecosystem.ts'

test('the words of version_compare, known by how they start', () => {
  const lines = `
    dev-master < 0.0.1-dev
    1.0-foo < 1.0-dev
    1.0-foo = 1.0-quux
    1.0-alphabet = 1.0-a
    1.0-patch1 = 1.0-pl1
    1.0-pl1 > 1.0.99
    1.0-Rc1 < 1.0-rc1
    1..0 = 1.0
    1.0. = 1.0
  `
  assert.deepEqual(checkVersionLines(composer, lines).disagreements, [])
})
