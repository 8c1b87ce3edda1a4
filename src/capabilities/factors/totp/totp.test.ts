import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32 } from './base32.ts'
import { codeOf, stepAt, stepOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

test('codes are those of RFC 6238, appendix B', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ]
  for (const [seconds, code] of vectors) {
    assert.equal(codeOf(secret, stepAt(new Date(seconds * 1000)), 8), code)
  }
})

test('codes are those of RFC 4226, appendix D', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
  assert.deepEqual(
    codes.map((_, counter) => codeOf(secret, counter)),
    codes,
  )
})

test('a code counts one step before and after its own, and no further', () => {
  const now = new Date('2026-03-01T10:00:00Z')
  const at = stepAt(now)
  const found = [-2, -1, 0, 1, 2].map((away) => stepOf(secret, codeOf(secret, at + away), now))
  assert.deepEqual(found, [undefined, at - 1, at, at + 1, undefined])
  assert.equal(stepOf(secret, '12345', now), undefined)
})

test('base32 is that of RFC 4648, section 10, without padding', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  }
  for (const [plain, text] of Object.entries(vectors)) assert.equal(base32(Buffer.from(plain)), text)
})
