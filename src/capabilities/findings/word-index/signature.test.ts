import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bitsWanted,
  blockParts,
  maskOf,
  partBit,
  partBits,
  partOf,
  type Range,
  signatureBits,
  signaturesOf,
} from './signature.ts'

const nothing = { path: '', title: '', message: '', cwes: [], vulnerabilityIds: [] }
const unwanted = {
  pathPrefix: undefined,
  paths: undefined,
  text: undefined,
  cwes: undefined,
  vulnerabilityIds: undefined,
  firstVulnerabilityIds: undefined,
}

const allParts = (block: Range): Range[] => Array.from({ length: blockParts }, (_, part) => partOf(block, part))

/** As PostgreSQL reads them. */
function digitsOf(written: string): string {
  const digits = [...written.slice(1)].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0'))
  return digits.join('')
}

function has(wanted: object, isSet: (bit: number) => boolean): boolean {
  const bits = bitsWanted({ ...unwanted, ...wanted })
  return !bits || (bits.all.every(isSet) && bits.any.every((choices) => choices.some(isSet)))
}

const hasInBlock = (signature: string, wanted: object): boolean =>
  has(wanted, (bit) => digitsOf(signature)[bit] === '1')

const hasInPart = (parts: string, part: number, wanted: object): boolean =>
  has(wanted, (bit) => digitsOf(parts)[partBit(bit) * blockParts + part] === '1')

test('whatever findings have is in their signature, and in that of their part', () => {
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
      fc.integer({ min: 1, max: 40 }),
      (all, n, from, length, spread) => {
        const block = { first: 1_000, last: 1_000 + spread * (all.length - 1) }
        const numbered = all.map((one, at) => ({ ...one, id: block.first + at * spread }))
        const { signature, parts } = signaturesOf(block, numbered)
        assert.equal(digitsOf(signature).length, signatureBits)
        assert.equal(digitsOf(parts).length, blockParts * partBits)
        const { id } = numbered[n % all.length]!
        const part = allParts(block).findIndex(({ first, last }) => first <= id && id <= last)
        const may = (wanted: object) => hasInBlock(signature, wanted) && hasInPart(parts, part, wanted)
        const { path, title, message, cwes, vulnerabilityIds } = all[n % all.length]!
        const text = (n % 2 ? title : message).slice(from, from + length)
        assert.ok(may({ text }))
        assert.ok(may({ text: text.toUpperCase() }) || !/^[\x20-\x7e]*$/.test(text))
        assert.ok(may({ pathPrefix: path.slice(0, length) }))
        assert.ok(may({ cwes: ['CWE-0', ...cwes.slice(0, 1)], text }) || cwes.length === 0)
        assert.ok(may({ vulnerabilityIds }) || vulnerabilityIds.length === 0)
      },
    ),
  )
})

test('what they do not have hardly ever is', () => {
  const messages = Array.from({ length: 64 }, (_, n) => `Input of request ${n} reaches a sink without being checked.`)
  const all = messages.map((message, n) => ({
    ...{ ...nothing, id: n + 1, message, path: `src/module-${n}/a.js`, cwes: ['CWE-79'] },
  }))
  const { signature, parts } = signaturesOf({ first: 1, last: 64 }, all)
  const absent = [
    { text: 'prototype pollution' },
    { text: 'Log4Shell' },
    { pathPrefix: 'lib/' },
    { pathPrefix: 'src/modules/' },
    { cwes: ['CWE-89', 'CWE-22'] },
    { vulnerabilityIds: ['CVE-2021-44228'] },
  ]
  assert.deepEqual(
    absent.filter((wanted) => hasInBlock(signature, wanted)),
    [],
  )
  const withRequest = Array.from({ length: blockParts }, (_, part) => hasInPart(parts, part, { text: 'request 37 ' }))
  assert.deepEqual(
    withRequest,
    withRequest.map((_, part) => part === 37),
  )
})

test('the parts of a block are its ids, each once', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.integer({ min: 0, max: 300 }), (first, more) => {
      const ids = allParts({ first, last: first + more }).flatMap((part) =>
        Array.from({ length: Math.max(0, part.last - part.first + 1) }, (_, n) => part.first + n),
      )
      assert.deepEqual(
        ids,
        Array.from({ length: more + 1 }, (_, n) => first + n),
      )
    }),
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
      const digits = digitsOf(maskOf(bits))
      const set = [...digits].flatMap((digit, bit) => (digit === '1' ? [bit] : []))
      assert.deepEqual(
        set,
        [...new Set(bits)].sort((a, b) => a - b),
      )
      assert.equal(digits.length, signatureBits)
    }),
  )
})
