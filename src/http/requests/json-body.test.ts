import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './json-body.ts'

const twice = 'An object in the body has a name more than once.'
const refused: [body: string, detail: string][] = [
  ['{"filters":{"tags":["pci"]},"filters":{}}', twice],
  ['{"filters":{"tags":["pci"],"tags":[]}}', twice],
  ['[{"a":{"b":1 , "b" :1}}]', twice],
  ['{"a":1,"\\u0061":2}', twice],
  ['{"__proto__":1,"__proto__":2}', twice],
  ['{"a":', 'The body is not valid JSON: it ends too early.'],
  ['x', 'The body is not valid JSON: a character stands where it cannot.'],
  ['{"a":x}', 'The body is not valid JSON: a character stands where it cannot.'],
  ['\ufeff{}', 'The body is not valid JSON: a character stands where it cannot.'],
  ['['.repeat(80) + ']'.repeat(80), 'The body is nested more than 64 levels deep.'],
  ['{"a":1}}', 'The body is not valid JSON: line 1, column 8.'],
]

test('what cannot be read, or could be read in two ways, is refused', () => {
  for (const [body, detail] of refused) {
    assert.throws(() => parseJson(Buffer.from(body)), { code: 'malformed_request', message: detail }, body)
  }
})

test('names may stand in several objects, and look like anything', () => {
  const bodies = [
    '[{"a":1},{"a":2,"b":{"a":3}}]',
    '{"a":"\\"b\\":1,\\"b\\":","b":"x: \\\\"}',
    '{"__proto__":{"a":1},"":{"":""}, "{\\"a\\":": "a"}',
    '"a:"',
    'null',
  ]
  for (const body of bodies) assert.deepEqual(parseJson(Buffer.from(body)), JSON.parse(body), body)
})

test('a body of half a million entries beside many brackets is read', () => {
  const body = { long: Array(490_000).fill(1), brackets: Array(80).fill([]) }
  assert.deepEqual(parseJson(Buffer.from(JSON.stringify(body))), body)
})

test('a text of millions of escapes is read', () => {
  const body = { text: '\n"\\'.repeat(2_000_000) }
  assert.deepEqual(parseJson(Buffer.from(JSON.stringify(body))), body)
})

test('a body with more in it than is read in a moment is refused before it is read', () => {
  const refused = { code: 'payload_too_large' }
  assert.throws(() => parseJson(Buffer.from(`[${'{},'.repeat(20_001)}0]`)), refused)
  const names = Array.from({ length: 40_001 }, (_, at) => `"${at}":0`).join()
  assert.throws(() => parseJson(Buffer.from(`{${names}}`)), refused)
  // What is in strings does not count, and lists of plain values may be long.
  assert.equal((parseJson(Buffer.from(`["${'[{:,'.repeat(50_000)}"]`)) as string[]).length, 1)
  assert.equal((parseJson(Buffer.from(`[${'1,'.repeat(100_000)}1]`)) as number[]).length, 100_001)
})

test('a body that ends in a string ends', () => {
  for (const text of ['"', '"a', '["a', '"\\\\', '{"a":"\\'])
    assert.throws(() => parseJson(Buffer.from(text)), { code: 'malformed_request' })
})
