import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { unknownSettings } from './unknown-settings.ts'

test('a name that nothing reads is told, with the one that was meant, and without its value', () => {
  const env = { GATEHOUSE_SECOND_FACTR: 'everyone', GATEHOUSE_COLOUR: 'secret', GATEHOUSE_URL: 'x', PATH: '/bin' }
  assert.deepEqual(unknownSettings(env), [
    'GATEHOUSE_COLOUR is not a setting, and nothing reads it.',
    'GATEHOUSE_SECOND_FACTR is not a setting, and nothing reads it; did you mean GATEHOUSE_SECOND_FACTOR?',
  ])
})

test('every setting of the documents is known', () => {
  const docs = ['operating.md', 'scanning.md', 'deploying.md', 'high-availability.md'].map((name) =>
    readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8'),
  )
  const names = [...docs.join('\n').matchAll(/\bGATEHOUSE_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
  assert.ok(names.length > 50)
  assert.deepEqual(unknownSettings(Object.fromEntries(names.map((name) => [name, '']))), [])
})
