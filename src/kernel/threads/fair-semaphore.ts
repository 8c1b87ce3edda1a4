import { busy } from './semaphore.ts'

type Waiting<Key> = { key: Key; begin(): void }

/**
 * So many at a time, shared by callers. One of them alone gets three quarters, so that there is a place for whoever comes next.
 * A place that becomes free goes to the one who holds the fewest, among equals to whoever came first. Nobody waits for ever.
 */
export function createFairSemaphore<Key>(count: number, longestWaitMs: number) {
  const share = Math.max(1, Math.floor((count * 3) / 4))
  const held = new Map<Key, number>()
  const waiting = new Set<Waiting<Key>>()
  let free = count

  async function run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    if (free > 0 && heldBy(key) < share) take(key)
    else await turn(key)
    try {
      return await work()
    } finally {
      release(key)
      beginNext()
    }
  }

  function heldBy(key: Key): number {
    return held.get(key) ?? 0
  }

  function take(key: Key): void {
    free--
    held.set(key, heldBy(key) + 1)
  }

  function release(key: Key): void {
    free++
    const left = heldBy(key) - 1
    if (left > 0) held.set(key, left)
    else held.delete(key)
  }

  function beginNext(): void {
    let next: Waiting<Key> | undefined
    for (const one of waiting) {
      if (heldBy(one.key) < share && (!next || heldBy(one.key) < heldBy(next.key))) next = one
    }
    next?.begin()
  }

  /** The place is taken for whoever begins, before anybody else may. */
  function turn(key: Key): Promise<void> {
    return new Promise((resolve, reject) => {
      const one: Waiting<Key> = {
        key,
        begin() {
          clearTimeout(timer)
          waiting.delete(one)
          take(key)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.delete(one)
        reject(busy())
      }, longestWaitMs)
      waiting.add(one)
    })
  }

  return { run, waiting: () => waiting.size }
}
