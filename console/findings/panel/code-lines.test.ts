import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeLines } from './code-lines.ts'

const place = { path: 'a.js', startLine: 5, startColumn: 0, endLine: 6, endColumn: 0, snippet: 'five\nsix\n' }
const shown = (lines: ReturnType<typeof codeLines>) =>
  lines.map(({ number, text, marked }) => `${number}${marked ? '!' : ''} ${text}`)

test('the lines of the place are marked among those around it', () => {
  const around = { startLine: 4, text: 'four\nfive\nsix\nseven' }
  assert.deepEqual(shown(codeLines(place, around)), ['4 four', '5! five', '6! six', '7 seven'])
})

test('without lines around it, or with others, the place is shown alone', () => {
  assert.deepEqual(shown(codeLines(place)), ['5! five', '6! six'])
  assert.deepEqual(shown(codeLines(place, { startLine: 90, text: 'elsewhere' })), ['5! five', '6! six'])
  assert.deepEqual(shown(codeLines({ ...place, startLine: 0, endLine: 0 })), ['0! five', '0! six'])
  assert.deepEqual(codeLines({ ...place, snippet: '' }), [])
})
