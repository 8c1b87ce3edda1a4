import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterSeconds } from './retry-after.ts'

const now = Date.parse('2026-03-01T10:00:00.500Z')

const said: [text: string | string[] | undefined, seconds: number | undefined][] = [
  ['120', 120],
  ['0', 0],
  [' 7 ', 7],
  [['5', '900'], 5],
  ['Sun, 01 Mar 2026 10:02:00 GMT', 120],
  ['Sunday, 01-Mar-26 10:02:00 GMT', 120],
  ['Sun Mar  1 10:02:00 2026', 120],
  ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
  ['99999999999999999999', 1e20],
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['Soon, at once', undefined],
  ['-5', undefined],
  ['1e9', undefined],
  ['2026-03-01', undefined],
]

for (const [text, seconds] of said) {
  test(`'${text}' asks for ${seconds} seconds`, () => {
    assert.equal(retryAfterSeconds({ status: 429, headers: { 'retry-after': text } }, now), seconds)
  })
}

for (const [status, isHeard] of [
  [429, true],
  [503, true],
  [500, false],
  [404, false],
  [200, false],
] as const) {
  test(`with ${status} it is ${isHeard ? 'heard' : 'passed over'}`, () => {
    assert.equal(retryAfterSeconds({ status, headers: { 'retry-after': '9' } }, now), isHeard ? 9 : undefined)
  })
}
