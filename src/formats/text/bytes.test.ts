import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText, headText, joinChunks, lineCounter, readText } from './bytes.ts'

test('joins chunks up to the limit', () => {
  const chunks = [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)]
  assert.deepEqual([...joinChunks(chunks, 3).value!], [1, 2, 3])
  assert.equal(joinChunks(chunks, 2).problem?.code, 'too-large')
  assert.deepEqual([...joinChunks([]).value!], [])
})

test('stops reading once over the limit', () => {
  let taken = 0
  function* endless() {
    while (true) {
      taken++
      yield new Uint8Array(10)
    }
  }
  assert.equal(joinChunks(endless(), 25).problem?.code, 'too-large')
  assert.equal(taken, 3)
})

const encodings: [name: string, bytes: Uint8Array, expected: string | { line: number; says: RegExp }][] = [
  ['plain', Buffer.from('é\n'), 'é\n'],
  ['empty', new Uint8Array(), ''],
  ['with a byte order mark', Buffer.from('\ufeff{}'), '{}'],
  ['UTF-16 LE', Buffer.from('\ufeffé\n', 'utf16le'), 'é\n'],
  ['UTF-16 BE', Buffer.from('\ufeffé\n', 'utf16le').swap16(), 'é\n'],
  ['UTF-16 LE without a mark', Buffer.from('{"é"}', 'utf16le'), '{"é"}'],
  ['UTF-16 BE without a mark', Buffer.from('{"é"}', 'utf16le').swap16(), '{"é"}'],
  ['UTF-16 cut inside a character', Buffer.from('\ufeff{}', 'utf16le').subarray(0, 5), { line: 1, says: /UTF-16/ }],
  ['half of a pair in UTF-16', Buffer.from('\ufeff\ud800{}', 'utf16le'), { line: 1, says: /UTF-16/ }],
  ['UTF-32', Buffer.of(0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0), { line: 1, says: /UTF-32/ }],
  ['UTF-32 without a mark', Buffer.of(0x7b, 0, 0, 0, 0x7d, 0, 0, 0), { line: 1, says: /UTF-32/ }],
  ['Latin-1 in line 3', Buffer.from('a\nb\n\xe9t\xe9\n', 'latin1'), { line: 3, says: /line 3/ }],
  ['cut inside a character', Buffer.from('a\né').subarray(0, 3), { line: 2, says: /line 2/ }],
  ['an overlong form', Buffer.of(0xc0, 0x80), { line: 1, says: /line 1/ }],
  ['a surrogate', Buffer.of(0xed, 0xa0, 0x80), { line: 1, says: /line 1/ }],
]

test('reads UTF-8 and UTF-16, and nothing else', () => {
  for (const [name, bytes, expected] of encodings) {
    const outcome = decodeText(bytes)
    if (typeof expected === 'string') {
      assert.equal(outcome.value, expected, name)
    } else {
      assert.equal(outcome.problem?.code, 'not-utf8', name)
      assert.equal(outcome.problem?.line, expected.line, name)
      assert.match(outcome.problem!.detail, expected.says, name)
    }
  }
})

test('reads text that is cut into chunks inside a character', () => {
  const bytes = Buffer.from('aé')
  assert.equal(readText([bytes.subarray(0, 2), bytes.subarray(2)]).value, 'aé')
})

test('takes a head cut inside a character', () => {
  assert.ok(headText(Buffer.from('{"aé').subarray(0, 4)).startsWith('{"a'))
})

test('counts lines of ascending offsets', () => {
  const lineAt = lineCounter('a\nbc\n\nd')
  assert.deepEqual([0, 1, 2, 4, 5, 6, 6, 99].map(lineAt), [1, 1, 2, 2, 3, 4, 4, 4])
})
