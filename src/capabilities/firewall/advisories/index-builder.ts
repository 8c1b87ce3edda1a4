import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Bound, KeyInterval } from '../../../ecosystems/version-range.ts'
import { growingArray } from './growing-array.ts'
import {
  advisoryMask,
  ecosystemCode,
  flags,
  hashMask,
  hashName,
  type IndexArrays,
  numberMask,
  wordsPerRange,
} from './index-layout.ts'

export type AdvisedPackage = {
  advisoryId: string
  ecosystem: EcosystemId
  /** Normalised by the rules of the ecosystem. */
  name: string
  intervals: readonly KeyInterval[]
}

type Range = { advisory: number; lower: Bound | undefined; upper: Bound | undefined }

/** Collects what advisories say and lays it out flat. What it needs while building is garbage afterwards. */
export function createIndexBuilder() {
  // By ecosystem and name; the ranges of one package come from any number of advisories.
  const named = new Map<string, Range[]>()
  const ids = growingArray(Uint8Array)
  let lastId: string | undefined
  let advisory = 0

  function add({ advisoryId, ecosystem, name, intervals }: AdvisedPackage): void {
    if (intervals.length === 0) return
    if (advisoryId !== lastId) {
      advisory = ids.length()
      ids.append(Buffer.from(`${advisoryId}\n`, 'latin1'))
      lastId = advisoryId
      if (advisory > advisoryMask) throw new Error('too many advisories for one index')
    }
    const key = String.fromCharCode(ecosystemCode(ecosystem)) + ecosystems[ecosystem].comparedName(name)
    const ranges = named.get(key) ?? []
    named.set(key, ranges)
    for (const { lower, upper } of intervals) ranges.push({ advisory, lower, upper })
  }

  function build(): IndexArrays {
    const keys = keyPool()
    const packages = growingArray(Uint32Array)
    const names = growingArray(Uint16Array)
    const ranges = growingArray(Uint32Array)
    if (named.size >= numberMask) throw new Error('too many packages for one index')
    const slots = new Uint32Array(slotCount(named.size))
    let number = 0
    for (const [key, all] of named) {
      packages.push(names.length())
      packages.push(ranges.length() / wordsPerRange)
      for (let i = 0; i < key.length; i++) names.push(key.charCodeAt(i))
      const exact = all.filter(isExact).sort((a, b) => Buffer.compare(a.lower!.key, b.lower!.key))
      packages.push(exact.length)
      for (const range of [...exact, ...all.filter((each) => !isExact(each))]) {
        ranges.push((range.advisory | flagsOf(range)) >>> 0)
        ranges.push(keys.place(range.lower))
        ranges.push(keys.place(range.upper))
      }
      number++
      take(slots, hashName(key.charCodeAt(0), key.slice(1)), number)
    }
    packages.append([names.length(), ranges.length() / wordsPerRange, 0])
    return {
      slots,
      packages: packages.cut(),
      names: names.cut(),
      ranges: ranges.cut(),
      keys: keys.cut(),
      ids: ids.cut(),
    }
  }

  return { add, build }
}

function isExact({ lower, upper }: Range): boolean {
  return !!lower?.inclusive && !!upper?.inclusive && Buffer.compare(lower.key, upper.key) === 0
}

function flagsOf({ lower, upper }: Range): number {
  return (lower && !lower.inclusive ? flags.lowerExclusive : 0) | (upper?.inclusive ? flags.upperInclusive : 0)
}

function slotCount(packages: number): number {
  let count = 16
  while (count < packages * 2) count *= 2
  return count
}

function take(slots: Uint32Array, hash: number, value: number): void {
  let slot = hash & (slots.length - 1)
  while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
  slots[slot] = (value | (hash & hashMask)) >>> 0
}

/** `1.0.0` is in every other advisory: each key is kept once. */
function keyPool() {
  const bytes = growingArray(Uint8Array)
  const known = new Map<string, number>()
  bytes.push(0)

  function place(bound: Bound | undefined): number {
    if (!bound) return 0
    const text = Buffer.from(bound.key).toString('latin1')
    const at = known.get(text)
    if (at !== undefined) return at
    if (bound.key.length > 0xffff) throw new Error('a version that long has no place in the index')
    const start = bytes.length()
    bytes.push(bound.key.length >> 8)
    bytes.push(bound.key.length & 0xff)
    bytes.append(bound.key)
    known.set(text, start)
    return start
  }

  return { place, cut: bytes.cut }
}
