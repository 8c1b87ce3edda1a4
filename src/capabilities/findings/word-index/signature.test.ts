import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bitsWanted, maskOf, signatureBits, signatureOf } from './signature.ts'

const nothing = { path: '', title: '', message: '', cwes: [], vulnerabilityIds: [] }
const unwanted = { pathPrefix: undefined, text: undefined, cwes: undefined, vulnerabilityIds: undefined }

function may(signature: string, wanted: object): boolean {
  const has = (bit: number) => signature[bit] === '1'
  const bits = bitsWanted({ ...unwanted, ...wanted })
  return !bits || (bits.all.every(has) && bits.any.every((choices) => choices.some(has)))
}

test('whatever findings have is in their signature', () => {
  const letters = fc.string({ unit: 'binary', maxLength: 200 })
  const finding = fc.record({
    ...{ path: letters, title: letters, message: letters },
    ...{ cwes: fc.array(letters, { maxLength: 3 }), vulnerabilityIds: fc.array(letters, { maxLength: 3 }) },
  })
  fc.assert(
    fc.property(
      fc.array(finding, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.nat(200),
      fc.nat(200),
      (all, n, from, length) => {
        const signature = signatureOf(all)
        assert.equal(signature.length, signatureBits)
        const { path, title, message, cwes, vulnerabilityIds } = all[n % all.length]!
        const text = (n % 2 ? title : message).slice(from, from + length)
        assert.ok(may(signature, { text }))
        assert.ok(may(signature, { text: text.toUpperCase() }) || !/^[\x20-\x7e]*$/.test(text))
        assert.ok(may(signature, { pathPrefix: path.slice(0, length) }))
        assert.ok(may(signature, { cwes: ['CWE-0', ...cwes.slice(0, 1)], text }) || cwes.length === 0)
        assert.ok(may(signature, { vulnerabilityIds }) || vulnerabilityIds.length === 0)
      },
    ),
  )
})

test('what they do not have hardly ever is', () => {
  const messages = Array.from({ length: 64 }, (_, n) => `Input of request ${n} reaches a sink without being checked.`)
  const all = messages.map((message, n) => ({ ...nothing, message, path: `src/module-${n}/a.js`, cwes: ['CWE-79'] }))
  const signature = signatureOf(all)
  const absent = [
    { text: 'prototype pollution' },
    { text: 'Log4Shell' },
    { pathPrefix: 'lib/' },
    { pathPrefix: 'src/modules/' },
    { cwes: ['CWE-89', 'CWE-22'] },
    { vulnerabilityIds: ['CVE-2021-44228'] },
  ]
  assert.deepEqual(
    absent.filter((wanted) => may(signature, wanted)),
    [],
  )
})

test('signatures tell nothing of a short text, and nothing of too many choices', () => {
  const many = Array.from({ length: 21 }, (_, n) => `CWE-${n}`)
  for (const wanted of [{}, { text: 'ab' }, { text: '漢字漢字' }, { pathPrefix: 'ab' }, { cwes: many }]) {
    assert.equal(bitsWanted({ ...unwanted, ...wanted }), undefined)
  }
})

test('a mask has the bits that it is made of, in the order of a signature', () => {
  const any = fc.array(fc.nat(signatureBits - 1), { maxLength: 50 })
  fc.assert(
    fc.property(any, (bits) => {
      const digits = [...maskOf(bits).slice(1)].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0'))
      const set = [...digits.join('')].flatMap((digit, bit) => (digit === '1' ? [bit] : []))
      assert.deepEqual(
        set,
        [...new Set(bits)].sort((a, b) => a - b),
      )
      assert.equal(digits.length * 4, signatureBits)
    }),
  )
})
