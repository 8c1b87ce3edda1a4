import { type EcosystemId, ecosystemIds } from '../../../ecosystems/ecosystem.ts'

/**
 * The index as flat arrays: a quarter of a million packages take some 30 MiB instead of several hundred as objects, are no
 * work for the garbage collector, and go from the thread that built them to the one that asks without being copied.
 */
export type IndexArrays = {
  /**
   * Open addressing, a power of two, at most half full: number of the package + 1, or 0; in the upper bits a part of its hash,
   * so that the packages of other names need not be looked at, which are anywhere in memory.
   */
  slots: Uint32Array
  /**
   * Three numbers a package, together because they are read together: where its name starts in `names`; where its ranges
   * start in `ranges`, counted in ranges; how many of those name one version, which come first, in the order of their keys.
   * One more for the ends of the last.
   */
  packages: Uint32Array
  /** UTF-16 units; the first of each name is the number of its ecosystem. */
  names: Uint16Array
  /** Three numbers a range: advisory and flags; lower key; upper key. A key is a place in `keys`, 0 where the side is open. */
  ranges: Uint32Array
  /** Each key once: two bytes of length, then the bytes. Place 0 is not a key. */
  keys: Uint8Array
  /** Advisory ids, which are ASCII, each with a line break after it. A range has the place where its own begins. */
  ids: Uint8Array
}

export const wordsPerPackage = 3
export const wordsPerRange = 3
/** The upper bits of a range's first word. */
export const flags = { lowerExclusive: 0x8000_0000, upperInclusive: 0x4000_0000 } as const
export const advisoryMask = 0x3fff_ffff

const ecosystemCodes = new Map<string, number>(ecosystemIds.map((id, code) => [id, code]))

export function ecosystemCode(id: EcosystemId): number {
  return ecosystemCodes.get(id)!
}

/** Of a slot: the number, and the part of the hash. */
export const numberMask = 0x00ff_ffff
export const hashMask = 0xff00_0000

/** FNV-1a over the UTF-16 units, begun with the ecosystem: the same name elsewhere is another package. */
export function hashName(code: number, name: string): number {
  let hash = Math.imul(0x811c9dc5 ^ code, 0x01000193)
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  // The low bits choose the slot, and the last characters alone should not decide them.
  return (hash ^ (hash >>> 15)) >>> 0
}
