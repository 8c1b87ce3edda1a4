import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { digestOf, parseIntegrity, strongest } from './digest.ts'

const sha512 = createHash('sha512').update('x').digest()
const sha1 = createHash('sha1').update('x').digest()

const integrities: [text: string, algorithm: string | undefined][] = [
  [`sha512-${sha512.toString('base64')}`, 'sha512'],
  [`sha1-${sha1.toString('base64')} sha512-${sha512.toString('base64')}`, 'sha512'],
  [`sha512-${sha512.toString('base64')}?option`, 'sha512'],
  [`sha1-${sha1.toString('base64')}`, 'sha1'],
  [`sha512-${sha1.toString('base64')}`, undefined],
  [`crc32-${sha1.toString('base64')}`, undefined],
  ['sha512-', undefined],
  ['', undefined],
]

for (const [text, algorithm] of integrities) {
  test(`integrity '${text.slice(0, 40)}' is ${algorithm ?? 'none'}`, () => {
    const digest = parseIntegrity(text)
    assert.equal(digest?.algorithm, algorithm)
    if (digest) assert.equal(digest.hex, (algorithm === 'sha512' ? sha512 : sha1).toString('hex'))
  })
}

test('a digest has the length and the letters of its algorithm', () => {
  assert.equal(digestOf('SHA256', 'A'.repeat(64))?.hex, 'a'.repeat(64))
  assert.equal(digestOf('sha256', 'a'.repeat(63)), undefined)
  assert.equal(digestOf('sha256', `${'a'.repeat(62)}../`), undefined)
  assert.equal(digestOf('sha3', 'a'.repeat(64)), undefined)
})

test('the strongest counts', () => {
  const [weak, strong] = [digestOf('md5', 'a'.repeat(32)), digestOf('sha256', 'b'.repeat(64))]
  assert.equal(strongest([weak, undefined, strong]), strong)
  assert.equal(strongest([undefined]), undefined)
})
