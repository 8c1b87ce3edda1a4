import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch } from './address.ts'
import { notUnderstood } from './understood.ts'

test('what a page takes no notice of is named: other names, and other values', () => {
  const understood = { name: 'anything', blocked: ['yes'], person: (value: string) => /^[0-9]+$/.test(value) } as const
  const of = (search: string) => notUnderstood(parseSearch(search), understood).map((pair) => pair.join('='))
  assert.deepEqual(of('?name=lodash&blocked=yes&person=3'), [])
  assert.deepEqual(of('?bellow=4&blocked=true&person=me&toString=1&name='), [
    'bellow=4',
    'blocked=true',
    'person=me',
    'toString=1',
  ])
})
