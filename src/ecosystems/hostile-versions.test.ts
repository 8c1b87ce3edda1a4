import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { often } from '../../test/depth.ts'
import { ecosystemIds } from './ecosystem.ts'
import { ecosystems } from './registry.ts'

/*
 * No key grows faster than its version: a few bytes of marks for each character at most. Every reader goes over its version
 * from left to right, or back once, and writes as it goes, so the length of the key bounds the work too.
 */
function assertShort(key: Uint8Array, version: string, describe: () => string): void {
  if (key.length > 5 * Buffer.byteLength(version) + 16) assert.fail(`${describe()}: ${key.length} bytes`)
}

const strings = often(2_000, 20_000)

test(`${strings} random byte strings of up to 10 kB each have a place in every order`, () => {
  for (let i = 0; i < strings; i++) {
    // Short ones are the likelier versions; each length up to the longest still occurs.
    const bytes = randomBytes(Math.ceil(10_000 * Math.random() ** 20))
    const version = bytes.toString(i % 2 === 0 ? 'latin1' : 'utf8')
    for (const id of ecosystemIds) {
      assertShort(ecosystems[id].orderKey(version), version, () => `${id} ${bytes.toString('hex')}`)
    }
  }
})

const patternKiB = often(64, 256)

test(`${patternKiB} KiB of any nasty pattern are read in one go`, () => {
  const pieces = ['1', '0', 'a', '.', '-', '+', '1.', '0.', 'a.', '1a', '0-', 'a-1', '.0a', '\u0000', '\u{1f600}', ' ']
  const openings = ['', '1', '1.0-', '1.0+', '1!1']
  for (const [i, piece] of pieces.entries()) {
    const opening = openings[i % openings.length]!
    for (const start of ['', opening]) {
      const version = start + piece.repeat((patternKiB * 1_024) / piece.length)
      for (const id of ecosystemIds)
        assertShort(ecosystems[id].orderKey(version), version, () => `${id} ${start}${piece}…`)
    }
  }
})

test('an ordinary version has an ordinary key', () => {
  for (const id of ecosystemIds) assert.ok(ecosystems[id].orderKey('12.34.56').length <= 16, id)
})
