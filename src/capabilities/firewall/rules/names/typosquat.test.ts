import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOneAway, nearest } from './typosquat.ts'

test('one letter more, less, other or swapped is one away; nothing else is', () => {
  for (const other of ['loash', 'lodassh', 'lodask', 'lodahs', 'xlodash', 'lodas', 'lodashs'])
    assert.ok(isOneAway('lodash', other), other)
  for (const other of ['lodash', 'lodahsh2', 'ladosh', 'lod', 'hsadol']) assert.ok(!isOneAway('lodash', other), other)
})

test('a name resembles a widely used one, never one that is widely used itself, and no short one', () => {
  const popular = ['lodash', 'react', 'preact', 'cross-env', '@types/node', 'got', 'discord.js']
  const cases: [name: string, near: string | undefined][] = [
    ['lodahs', 'lodash'],
    ['crossenv', 'cross-env'],
    ['cross_env', 'cross-env'],
    ['env-cross', 'cross-env'],
    ['types-node', '@types/node'],
    ['discord-js', 'discord.js'],
    ['preact', undefined],
    ['gto', undefined],
    ['lodash-es', undefined],
    ['entirely-other', undefined],
  ]
  for (const [name, near] of cases) assert.equal(nearest(popular, name), near, name)
})
