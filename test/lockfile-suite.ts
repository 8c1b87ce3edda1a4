import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Format, InventoryItem, Reading } from '../src/formats/format.ts'
import { often } from './depth.ts'
import {
  assertSound,
  type ExpectedCase,
  type ExpectedPackage,
  osvDetectorCases,
  readCase,
  referenceCases,
  scalibrCases,
} from './lockfile-expectations.ts'
import { realData, withoutRealData } from './real-data.ts'

export type Comparison = {
  scalibr?: string
  osvDetector?: string
  folder?: string
  /** Of the files, only those whose path matches. */
  only?: RegExp
  /** Where the other readers do not give names as written. */
  ourName?: (name: string) => string
  /** Where our convention differs: their package as we have it, undefined where we leave it out. */
  adjust?: (theirs: ExpectedPackage, file: string) => ExpectedPackage | undefined
  /** What we have and they leave out. */
  extra?: (ours: InventoryItem, file: string) => boolean
  /** Codes of problems that we name in files which they read without a word. */
  tolerated?: readonly string[]
}

/** One test per source of expectations, over all its files of this format. */
export function agreesWithOtherReaders(format: Format, comparison: Comparison): void {
  const root = realData()
  const sources: [string, ExpectedCase[]][] = []
  if (root && comparison.scalibr) sources.push(['osv-scalibr', scalibrCases(root, comparison.scalibr)])
  if (root && comparison.osvDetector) sources.push(['osv-detector', osvDetectorCases(root, comparison.osvDetector)])
  if (root && comparison.folder) sources.push(['the reference readers', referenceCases(root, comparison.folder)])
  if (!root) test(`${format.id} agrees with other readers`, { skip: withoutRealData }, () => {})
  for (const [source, all] of sources) {
    const cases = all.filter(({ file }) => comparison.only?.test(file) ?? true)
    test(`${format.id} agrees with ${source} on ${cases.length} files`, () => {
      assert.ok(cases.length > 0)
      for (const expected of cases) assertSameAs(format, expected, comparison)
    })
  }
}

function assertSameAs(format: Format, expected: ExpectedCase, comparison: Comparison): void {
  const { adjust = (theirs) => theirs, extra = () => false, ourName = (name) => name, tolerated = [] } = comparison
  const reading = readCase(format, expected)
  const ours = reading.items.filter((item) => !extra(item, expected.file))
  const theirs = expected.packages.flatMap((one) => adjust(one, expected.file) ?? [])
  const named = ours.map(({ name, version }) => ({ name: ourName(name), version }))
  assert.deepEqual(distinct(named), distinct(theirs), expected.file)
  assertSound(reading, expected.file)
  if (expected.expectError) assert.ok(reading.problems.length > 0, `${expected.file}: nothing is said`)
  else {
    const unexpected = reading.problems.filter(({ code }) => !tolerated.includes(code))
    assert.deepEqual(unexpected, [], expected.file)
  }
}

/** The reader survives whatever is done to a good document: cut, bytes changed, parts doubled. */
export function survivesMutation(format: Format, sample: string): void {
  test(`${format.id} never throws on a mutated document`, () => {
    const bytes = Buffer.from(sample)
    const change = fc.record({
      at: fc.nat(bytes.length),
      remove: fc.nat(12),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc.constantFrom(...hostileParts).map((part) => Buffer.from(part)),
      ),
    })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(bytes.length), (changes, cut) => {
        let mutated = bytes
        for (const { at, remove, insert } of changes)
          mutated = Buffer.concat([mutated.subarray(0, at), insert, mutated.subarray(at + remove)])
        for (const document of [mutated, mutated.subarray(0, cut)]) {
          format.recognises(document, '')
          assertSound(format.read([document.subarray(0, 10), document.subarray(10)], ''), format.id)
        }
      }),
      { numRuns: often(200) },
    )
  })
}

const hostileParts = [
  '\u0000',
  '"',
  "'",
  '{',
  '[',
  '}',
  ']',
  '\n',
  '\\',
  '__proto__',
  ':',
  '=',
  '<',
  '<!DOCTYPE x>',
  '%{',
  ' ',
  ': ',
  '{"toString":1}',
]

/** Documents that must end in a problem for every format, quickly and without an exception. */
export const hostileDocuments: readonly (readonly [what: string, document: Uint8Array])[] = [
  ['deep brackets', Buffer.from('['.repeat(1_000_000))],
  ['deep braces', Buffer.from('{"a":'.repeat(500_000))],
  ['deep elements', Buffer.from('<a>'.repeat(500_000))],
  ['deep terms', Buffer.from(`%{"a": ${'{:hex, '.repeat(300_000)}`)],
  ['an entity bomb', Buffer.from('<!DOCTYPE project [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><project>&b;</project>')],
  ['UTF-16 that is cut off', Buffer.from('\ufeff[[package]]\nname = "a"\n', 'utf16le').subarray(0, 31)],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d])],
  ['garbage', Buffer.alloc(10_000_000, '~!? ')],
  ['one long word', Buffer.alloc(10_000_000, '!')],
  ['quotes', Buffer.from('"'.repeat(3_000_001))],
]

export function parts(reading: Reading): string[] {
  return reading.items.map(({ name, version }) => `${name}@${version}`)
}

export function readString(format: Format, text: string): Reading {
  return format.read([Buffer.from(text)], '')
}

export function itemNamed(reading: Reading, name: string): InventoryItem {
  const found = reading.items.find((item) => item.name === name)
  assert.ok(found, `no item ${name}`)
  return found
}

function distinct(packages: readonly { name: string; version: string }[]): string[] {
  return [...new Set(packages.map(({ name, version }) => `${name}@${version}`))].sort()
}
