/**
 * Places, or bytes, that callers share. A key may take more while it then holds no more than is free, so that one alone gets half
 * of all, and however many greedy ones there are, as much as each of them holds is left for whoever comes next.
 */
export function createFairShare<Key>(places: number) {
  const held = new Map<Key, number>()
  let taken = 0

  function take(key: Key, count = 1): boolean {
    const own = (held.get(key) ?? 0) + count
    if (own > places - taken) return false
    held.set(key, own)
    taken += count
    return true
  }

  function release(key: Key, count = 1): void {
    const own = (held.get(key) ?? 0) - count
    if (own > 0) held.set(key, own)
    else held.delete(key)
    taken -= count
  }

  return { take, release, taken: () => taken }
}
