import { createKey } from '../order-key.ts'
import { isZero } from '../segments.ts'
import { type Item, parseMavenVersion } from './version.ts'

/** Maven's qualifiers in order; any other word comes after them, by its letters. */
const qualifiers: Record<string, number> = {
  alpha: 0x10,
  beta: 0x11,
  milestone: 0x12,
  rc: 0x13,
  cr: 0x13,
  snapshot: 0x14,
  ga: 0x15,
  final: 0x15,
  release: 0x15,
  sp: 0x16,
}
const release = 0x15
const otherWord = 0x17
/** A number behind a hyphen, `1-1`: after every word, before every number behind a dot. */
const nestedNumber = 0x70
/** a1, b1 and m1 are alpha-1, beta-1 and milestone-1. */
const shortForms: Record<string, string> = { a: 'alpha', b: 'beta', m: 'milestone' }

/** What follows a word. Behind a hyphen, all that follows outweighs all that follows the same word behind a dot. */
const nestedAndLess = 0x01
const less = 0x02
const nothing = 0x03
const more = 0x04
const nestedAndMore = 0x05
const numbered = 0x06

/**
 * Maven's ComparableVersion (Maven 4). Two items are compared at a time and a missing one counts as the release, so the end is
 * written as a release with nothing after it, and each word says on which side of nothing its remainder lies.
 */
export function mavenKey(version: string): Uint8Array {
  const items = parseMavenVersion(version)
  const signs = signsOfRemainders(items)
  const key = createKey()
  for (let i = 0; i < items.length; i++) {
    const { word, number, nested } = items[i]!
    if (word === undefined) {
      if (nested) key.mark(nestedNumber)
      key.number(number!)
      continue
    }
    if (signs[i] === 0) break
    const rank = rankOf(items[i]!)
    key.mark(rank)
    if (rank === otherWord) key.text(word)
    if (isNumbered(items[i]!)) {
      key.mark(numbered)
      key.number(number!)
      continue
    }
    const sign = signs[i + 1]!
    if (sign === 0) {
      key.mark(nothing)
      return key.bytes()
    }
    key.mark(nested ? (sign < 0 ? nestedAndLess : nestedAndMore) : sign < 0 ? less : more)
  }
  key.mark(release)
  key.mark(nothing)
  return key.bytes()
}

/** For each place, whether the items from there on make the version less or more than one that ends there. */
function signsOfRemainders(items: readonly Item[]): number[] {
  const signs = new Array<number>(items.length + 1).fill(0)
  for (let i = items.length - 1; i >= 0; i--) signs[i] = signOf(items[i]!) || signs[i + 1]!
  return signs
}

function signOf(item: Item): number {
  if (item.word === undefined) return isZero(item.number!) ? 0 : 1
  return Math.sign(rankOf(item) - release) || (isNumbered(item) ? 1 : 0)
}

/** `ga0` is `ga`; other words differ from themselves with a zero. */
function isNumbered(item: Item): boolean {
  return item.number !== undefined && !(rankOf(item) === release && isZero(item.number))
}

function rankOf(item: Item): number {
  const word = item.number === undefined ? item.word! : (shortForms[item.word!] ?? item.word!)
  return Object.hasOwn(qualifiers, word) ? qualifiers[word]! : otherWord
}
