export type SeededRandom = ReturnType<typeof createSeededRandom>

/** Chance that falls the same way each time (mulberry32): two demos show the same world. */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** From 0 to below `count`. */
  const roll = (count: number) => Math.floor(next() * count)
  const chance = (share: number) => next() < share
  const pick = <T>(from: readonly T[]): T => from[roll(from.length)]!

  function sample<T>(from: readonly T[], count: number): T[] {
    const left = [...from]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(roll(left.length), 1)[0]!)
  }

  return { roll, chance, pick, sample }
}
