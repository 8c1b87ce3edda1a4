import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesArray, textArray } from './array-literal.ts'

test('texts as PostgreSQL reads an array of them', () => {
  assert.equal(textArray([]), '{}')
  assert.equal(textArray(['']), '{""}')
  assert.equal(textArray(['a,b', '{c}']), '{"a,b","{c}"}')
  assert.equal(textArray(['"', '\\', 'a\\"b']), String.raw`{"\"","\\","a\\\"b"}`)
})

test('bytes as PostgreSQL reads an array of them, also those in the middle of a larger buffer', () => {
  assert.equal(bytesArray([]), '{}')
  const part = Uint8Array.from([9, 0, 255, 9]).subarray(1, 3)
  assert.equal(bytesArray([part, new Uint8Array()]), textArray(['\\x00ff', '\\x']))
})
