import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNameIndex } from './name-index.ts'
import { isOneAway } from './typosquat.ts'

const index = createNameIndex(['acme-tools', 'left-pad', '@acme/buttons', 'es5-ext', 'tiny', 'internal-billing'])

test('a name that is nearly one of many is found, wherever it differs', () => {
  const cases: [name: string, near: string | undefined][] = [
    ['acme-tool', 'acme-tools'],
    ['came-tools', 'acme-tools'],
    ['acme-toosl', 'acme-tools'],
    ['xacme-tools', 'acme-tools'],
    ['tools-acme', 'acme-tools'],
    ['internal_billing', 'internal-billing'],
    ['acme-buttons', '@acme/buttons'],
    ['@acme/button', undefined],
    ['es6-ext', undefined],
    ['tinyy', undefined],
    ['entirely-other', undefined],
    ['left-pad', undefined],
  ]
  for (const [name, near] of cases) assert.equal(index.near(name), near, name)
})

test('it misses nothing that a comparison with every name finds', () => {
  const letters = 'abcd'
  const names = Array.from({ length: 400 }, (_, i) => [0, 1, 2, 3, 4].map((at) => letters[(i >> at) % 4]).join(''))
  const all = createNameIndex(names)
  for (const name of ['aabca', 'dcbaa', 'abcd-', 'bbbbbb', 'zzzzz', 'acbda', 'caabd']) {
    const expected = names.some((one) => isOneAway(one, name))
    if (expected) assert.notEqual(all.near(name), undefined, name)
  }
})
