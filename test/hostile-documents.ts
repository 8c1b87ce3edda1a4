import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Format } from '../src/formats/format.ts'
import { often } from './depth.ts'
import { assertSound } from './lockfile-expectations.ts'

/** Documents of no format at all, each of which every text reader has to end in one fatal problem. */
export function hostileDocuments(): [name: string, bytes: Uint8Array][] {
  const text = (value: string) => Buffer.from(value)
  return [
    ['UTF-16 that is cut off', Buffer.from('\ufeff{"lockfileVersion": 3}', 'utf16le').subarray(0, 21)],
    ['Latin-1', Buffer.from('{"name": "\xe9"}', 'latin1')],
    ['bytes of a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0xff, 0xfe])],
    ['prose', text('this is not a lockfile!\n')],
    ['an open object', text('{')],
    ['a merge conflict', text('<<<<<<< HEAD\n{"lockfileVersion": 1}\n=======\n{}\n>>>>>>> other\n')],
    ['deep arrays', text('['.repeat(2_000_000))],
    ['deep objects', text('{"a":'.repeat(500_000))],
    ['ten megabytes of one key', text(`{"${'k'.repeat(10_000_000)}`)],
    ['ten megabytes of garbage', Buffer.alloc(10_000_000, '{]"\\: ,-\n#@')],
    ['an alias bomb', text('a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nlockfileVersion: *c\n')],
    ['too many bytes', Buffer.alloc(70 * 1024 * 1024, ' ')],
  ]
}

/** Cuts the sample, changes its bytes and doubles its parts: the reader must answer soundly each time. */
export function assertSurvivesDamage(format: Format, sample: string): void {
  const bytes = Buffer.from(sample)
  const place = fc.nat({ max: bytes.length })
  const damage = fc.oneof(
    place.map((end) => bytes.subarray(0, end)),
    fc.tuple(place, place).map(([from, to]) => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])),
    fc.array(fc.tuple(place, fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }).map((changes) => {
      const changed = Buffer.from(bytes)
      for (const [at, byte] of changes) changed[at] = byte
      return changed
    }),
    fc
      .tuple(place, fc.constantFrom('"', '{', '[', '}', ':', '\n', '\n  ', '__proto__', '@', '/', '1', 'null'))
      .map(([at, piece]) => Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at)])),
  )
  fc.assert(
    fc.property(damage, (damaged) => {
      format.recognises(damaged, '')
      const reading = format.read([damaged], '')
      assert.ok(Array.isArray(reading.problems))
      assertSound(reading, 'damaged')
    }),
    { numRuns: often(300) },
  )
}
