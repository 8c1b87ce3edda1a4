import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import {
  advisoryMask,
  ecosystemCode,
  flags,
  hashMask,
  hashName,
  type IndexArrays,
  numberMask,
  wordsPerPackage,
  wordsPerRange,
} from '../advisories/index-layout.ts'

export type VerdictIndex = ReturnType<typeof openIndex>

const none: readonly string[] = []

/** Which advisories name a version of a package. Built once, asked for every artifact: most answers are one look at a table. */
export function openIndex(arrays: IndexArrays) {
  const { slots, packages, names, ranges, keys, ids } = arrays
  // One long text: a part of it is made without copying.
  const idText = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString('latin1')

  /** The ids of the advisories that name this version, none where it is not known to be malicious. */
  function match(ecosystem: EcosystemId, name: string, version: string): readonly string[] {
    const { comparedName, orderKey } = ecosystems[ecosystem]
    const found = find(ecosystemCode(ecosystem), comparedName(name))
    if (found === -1) return none
    return isWhollyNamed(found)
      ? [idOf(ranges[packages[found * wordsPerPackage + 1]! * wordsPerRange]!)]
      : matching(found, orderKey(version))
  }

  /** Whether any version of it is malicious: what decides whether metadata has to be looked through. */
  function knows(ecosystem: EcosystemId, name: string): boolean {
    return find(ecosystemCode(ecosystem), ecosystems[ecosystem].comparedName(name)) !== -1
  }

  /** The ids of the advisories that name every version of it. */
  function matchWhole(ecosystem: EcosystemId, name: string): readonly string[] {
    return ofRanges(
      ecosystem,
      name,
      (range) => ranges[range * wordsPerRange + 1] === 0 && ranges[range * wordsPerRange + 2] === 0,
    )
  }

  /** The ids of the advisories that name any version of it. */
  function matchAny(ecosystem: EcosystemId, name: string): readonly string[] {
    return ofRanges(ecosystem, name, () => true)
  }

  function ofRanges(ecosystem: EcosystemId, name: string, counts: (range: number) => boolean): readonly string[] {
    const number = find(ecosystemCode(ecosystem), ecosystems[ecosystem].comparedName(name))
    if (number === -1) return none
    let found: string[] | undefined
    const at = number * wordsPerPackage
    const end = packages[at + wordsPerPackage + 1]!
    for (let range = packages[at + 1]!; range < end; range++) if (counts(range)) found = withId(found, range)
    return found ?? none
  }

  function find(code: number, name: string): number {
    const mask = slots.length - 1
    const hash = hashName(code, name)
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (((slots[slot]! ^ hash) & hashMask) !== 0) continue
      const number = (slots[slot]! & numberMask) - 1
      if (isNamed(number, code, name)) return number
    }
    return -1
  }

  function isNamed(number: number, code: number, name: string): boolean {
    const at = number * wordsPerPackage
    const start = packages[at]!
    if (packages[at + wordsPerPackage]! - start !== name.length + 1 || names[start] !== code) return false
    for (let i = 0; i < name.length; i++) if (names[start + 1 + i] !== name.charCodeAt(i)) return false
    return true
  }

  /** One range, for every version: by far the most frequent kind, and the version need not be looked at. */
  function isWhollyNamed(number: number): boolean {
    const at = number * wordsPerPackage
    const first = packages[at + 1]!
    if (packages[at + wordsPerPackage + 1]! - first !== 1) return false
    return ranges[first * wordsPerRange + 1] === 0 && ranges[first * wordsPerRange + 2] === 0
  }

  function matching(number: number, key: Uint8Array): readonly string[] {
    let found: string[] | undefined
    const at = number * wordsPerPackage
    const first = packages[at + 1]!
    const afterExact = first + packages[at + 2]!
    for (let range = firstExact(first, afterExact, key); range < afterExact; range++) {
      if (compareKey(ranges[range * wordsPerRange + 1]!, key) !== 0) break
      found = withId(found, range)
    }
    const end = packages[at + wordsPerPackage + 1]!
    for (let range = afterExact; range < end; range++) if (isInside(range, key)) found = withId(found, range)
    return found ?? none
  }

  /** Each once: an advisory may name a version twice. */
  function withId(found: string[] | undefined, range: number): string[] {
    const id = idOf(ranges[range * wordsPerRange]!)
    if (!found) return [id]
    if (!found.includes(id)) found.push(id)
    return found
  }

  /** The first of the ranges with one version whose version is not before this one. */
  function firstExact(start: number, end: number, key: Uint8Array): number {
    let low = start
    let high = end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareKey(ranges[middle * wordsPerRange + 1]!, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  function isInside(range: number, key: Uint8Array): boolean {
    const head = ranges[range * wordsPerRange]!
    const lower = ranges[range * wordsPerRange + 1]!
    const upper = ranges[range * wordsPerRange + 2]!
    if (lower !== 0 && compareKey(lower, key) > (head & flags.lowerExclusive ? -1 : 0)) return false
    return upper === 0 || compareKey(upper, key) > (head & flags.upperInclusive ? -1 : 0)
  }

  /** The key kept at a place against another one, bytewise. */
  function compareKey(place: number, key: Uint8Array): number {
    const length = (keys[place]! << 8) | keys[place + 1]!
    const shared = Math.min(length, key.length)
    for (let i = 0; i < shared; i++) {
      const difference = keys[place + 2 + i]! - key[i]!
      if (difference !== 0) return difference
    }
    return length - key.length
  }

  function idOf(rangeHead: number): string {
    const start = rangeHead & advisoryMask
    return idText.slice(start, idText.indexOf('\n', start))
  }

  const packageCount = packages.length / wordsPerPackage - 1
  const bytes = Object.values(arrays).reduce((sum, array) => sum + array.byteLength, 0)
  return { match, matchWhole, matchAny, knows, packageCount, bytes }
}
