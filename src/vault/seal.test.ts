import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { additionalData, open, type SealContext, type Sealed, seal } from './seal.ts'
import type { VaultError } from './vault-error.ts'

const key = randomBytes(32)
const context: SealContext = { scope: '1', record: 'config:42', field: 'credentials', keyVersion: '1' }
const name = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,12}$/)
const contexts = fc.record({ scope: name, record: name, field: name, keyVersion: name })

test('opens what it sealed', () => {
  fc.assert(
    fc.property(fc.uint8Array(), contexts, (plaintext, where) => {
      assert.deepEqual(open(key, seal(key, plaintext, where), where), Buffer.from(plaintext))
    }),
  )
})

test('the parts have the documented lengths, and no nonce comes twice', () => {
  const nonces = new Set<string>()
  for (let round = 0; round < 1000; round++) {
    const sealed = seal(key, 'häh', context)
    assert.equal(Buffer.from(sealed.nonce, 'base64').length, 12)
    assert.equal(Buffer.from(sealed.tag, 'base64').length, 16)
    assert.equal(Buffer.from(sealed.ciphertext, 'base64').length, 4)
    nonces.add(sealed.nonce)
  }
  assert.equal(nonces.size, 1000)
})

test('no other context opens it', () => {
  fc.assert(
    fc.property(contexts, contexts, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      refused(() => open(key, seal(key, 'secret', one), other))
    }),
  )
})

test('different contexts have different additional data', () => {
  fc.assert(
    fc.property(contexts, contexts, (one, other) => {
      const same = (['scope', 'record', 'field', 'keyVersion'] as const).every((part) => one[part] === other[part])
      assert.equal(additionalData(one).equals(additionalData(other)), same)
    }),
  )
  assert.equal(additionalData(context).toString(), 'gatehouse/v1/1/config:42/credentials/1')
})

for (const bad of ['', 'a/b', 'a b', 'ü', 'a\n', '%2f']) {
  test(`a name like ${JSON.stringify(bad)} has no place in the additional data`, () => {
    for (const part of Object.keys(context)) {
      assert.throws(() => seal(key, 'x', { ...context, [part]: bad }), { reason: 'bad_name' })
    }
  })
}

test('every flipped bit of nonce, ciphertext and tag is noticed', () => {
  const sealed = seal(key, 'a secret of some length', context)
  for (const part of ['nonce', 'ciphertext', 'tag'] as const) {
    const bytes = Buffer.from(sealed[part], 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      refused(() => open(key, { ...sealed, [part]: flipped.toString('base64') }, context))
    }
  }
})

test('every flipped bit of the key is noticed', () => {
  const sealed = seal(key, 'secret', context)
  for (let bit = 0; bit < 256; bit++) {
    const other = Buffer.from(key)
    other[bit >> 3]! ^= 1 << (bit & 7)
    refused(() => open(other, sealed, context))
  }
})

test('truncated, lengthened, misspelt or swapped parts are refused, all with the same error', () => {
  const sealed = seal(key, 'secret', context)
  const other = seal(key, 'secret', context)
  const cut = (text: string, bytes: number) => Buffer.from(text, 'base64').subarray(0, bytes).toString('base64')
  const broken: Partial<Sealed>[] = [
    { tag: cut(sealed.tag, 15) },
    { tag: cut(sealed.tag, 4) },
    { tag: '' },
    { nonce: cut(sealed.nonce, 8) },
    { nonce: '' },
    { ciphertext: cut(sealed.ciphertext, 5) },
    { ciphertext: '' },
    { ciphertext: `${sealed.ciphertext}\n` },
    { tag: ` ${sealed.tag}` },
    { nonce: sealed.nonce.replace(/.$/, '%') },
    { nonce: other.nonce },
    { ciphertext: other.ciphertext },
    { tag: other.tag },
  ]
  for (const change of broken) refused(() => open(key, { ...sealed, ...change }, context))
})

function refused(attempt: () => unknown): void {
  assert.throws(attempt, (error: VaultError) => {
    assert.equal(error.reason, 'cannot_open')
    assert.equal(error.message, 'The sealed value cannot be opened.')
    assert.equal(error.cause, undefined)
    return true
  })
}
