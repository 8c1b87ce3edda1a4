import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createKey } from './order-key.ts'

const number = (digits: string) => {
  const key = createKey()
  key.number(digits)
  return key.bytes()
}
const text = (value: string) => {
  const key = createKey()
  key.text(value)
  return key.bytes()
}

test('numbers of any length are in order of their value', () => {
  const digits = fc.stringMatching(/^[0-9]{1,400}$/)
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      const expected = BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0
      assert.equal(Buffer.compare(number(a), number(b)), expected)
    }),
  )
})

test('the length of a number may itself need several bytes', () => {
  const lengths = [1, 0x6f, 0x70, 0xff, 0x100, 0xffff, 0x10000, 0x20000]
  const keys = lengths.map((length) => number('9'.repeat(length)))
  for (const [i, key] of keys.slice(1).entries()) assert.equal(Buffer.compare(keys[i]!, key), -1)
})

test('texts are in order of their code points, a beginning before the whole', () => {
  const word = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(word, word, (a, b) => {
      const codePoints = Buffer.compare(Buffer.from(a), Buffer.from(b))
      assert.equal(Buffer.compare(text(a), text(b)), codePoints)
    }),
  )
})

test('what follows a part never outweighs it', () => {
  const parts = fc.array(fc.oneof(fc.nat(), fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 4 })
  const keyOf = (row: (number | string)[]) => {
    const key = createKey()
    for (const part of row) {
      key.mark(typeof part === 'number' ? 0x40 : 0x20)
      if (typeof part === 'number') key.number(String(part))
      else key.text(part)
    }
    key.mark(0x10)
    return key.bytes()
  }
  const comparePart = (a: number | string, b: number | string): number => {
    if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
    if (typeof a === 'number') return Math.sign(a - (b as number))
    return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
  }
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const decided = a.slice(0, b.length).map((part, i) => comparePart(part, b[i]!))
      const expected = decided.find((sign) => sign !== 0) ?? Math.sign(a.length - b.length)
      assert.equal(Buffer.compare(keyOf(a), keyOf(b)), expected)
    }),
  )
})
