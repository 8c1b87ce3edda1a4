import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { piecesOf, plainly, safeAddress } from './foreign-text.ts'
import { blocksOf, spansOf } from './markdown.ts'

test('characters that deceive are shown by their number', () => {
  assert.equal(plainly('src/\u202etxt.js'), 'src/[U+202E]txt.js')
  assert.equal(plainly('a\u200bb\u0000c\u001b[31md\u{e0041}'), 'a[U+200B]b[U+0000]c[U+001B][31md[U+E0041]')
  assert.equal(plainly('plain – ünï ✓ 字\n\ttab'), 'plain – ünï ✓ 字\n\ttab')
})

test('of no text is anything lost, and nothing that deceives is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const pieces = piecesOf(text)
      const back = pieces
        .map((piece) => (piece.shown ? String.fromCodePoint(Number.parseInt(piece.text.slice(3, -1), 16)) : piece.text))
        .join('')
      assert.equal(back, text)
      assert.doesNotMatch(plainly(text), /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u0000-\u0008\u001b]/)
    }),
  )
})

test('only https becomes a link', () => {
  assert.equal(safeAddress('https://nvd.nist.gov/x')?.host, 'nvd.nist.gov')
  for (const bad of [
    'javascript:alert(1)',
    'http://x.example',
    'data:text/html,x',
    'https://user@evil.example',
    '//evil.example',
    'x',
  ]) {
    assert.equal(safeAddress(bad), undefined, bad)
  }
})

test('Markdown becomes data; HTML, images and other schemes stay as they were written', () => {
  assert.deepEqual(blocksOf('# A\n\ntext\nmore\n\n- one\n- two\n\n```\ncode\n```'), [
    { kind: 'heading', text: 'A' },
    { kind: 'text', text: 'text more' },
    { kind: 'list', items: ['one', 'two'] },
    { kind: 'code', text: 'code' },
  ])
  assert.deepEqual(spansOf('see [it](https://a.example/x) and `b`'), [
    { kind: 'text', text: 'see ' },
    { kind: 'link', text: 'it', address: 'https://a.example/x' },
    { kind: 'text', text: ' and ' },
    { kind: 'code', text: 'b' },
  ])
  for (const raw of ['<img src=x onerror=alert(1)>', '[x](javascript:alert(1))'])
    assert.deepEqual(spansOf(raw), [{ kind: 'text', text: raw }])
})
