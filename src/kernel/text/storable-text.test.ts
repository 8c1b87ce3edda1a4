import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storableText } from './storable-text.ts'

const cases: [title: string, text: string, longest: number | undefined, stored: string][] = [
  ['what can be stored stays', 'Grün 🌳\n', undefined, 'Grün 🌳\n'],
  ['U+0000 and half a pair are replaced', 'a\0b\ud83c', undefined, 'a\ufffdb\ufffd'],
  ['a text is cut', 'abc', 2, 'ab'],
  ['a pair that the cut halves is replaced', 'a🌳', 2, 'a\ufffd'],
]
for (const [title, text, longest, stored] of cases) {
  test(title, () => assert.equal(storableText(text, longest), stored))
}
