import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textArray } from './array-literal.ts'

test('texts as PostgreSQL reads an array of them', () => {
  assert.equal(textArray([]), '{}')
  assert.equal(textArray(['']), '{""}')
  assert.equal(textArray(['a,b', '{c}']), '{"a,b","{c}"}')
  assert.equal(textArray(['"', '\\', 'a\\"b']), String.raw`{"\"","\\","a\\\"b"}`)
})
