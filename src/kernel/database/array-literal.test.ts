import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrayValue, bytesArray, plainArray, plainElements, textArray } from './array-literal.ts'

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

test('an array of plain values is read as it was written', () => {
  for (const values of [[], ['7'], ['0', '12', '-3'], ['D', 'T', 'U']]) {
    assert.deepEqual(plainElements(plainArray(values)), values)
  }
})

test('an array of texts or of plain values is written as PostgreSQL reads it, all else is left to pg', () => {
  assert.equal(arrayValue([]), '{}')
  assert.equal(arrayValue(['a"b', '']), textArray(['a"b', '']))
  assert.equal(arrayValue([1, -2.5]), '{1,-2.5}')
  assert.equal(arrayValue([true, false]), '{true,false}')
  for (const other of [
    'text',
    7,
    null,
    undefined,
    [null],
    ['a', null],
    ['a', 1],
    [[1], [2]],
    [new Date(0)],
    [Buffer.from('a')],
  ])
    assert.equal(arrayValue(other), other)
})
