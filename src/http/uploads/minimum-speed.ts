import { Fault } from '../../kernel/contract/fault.ts'

export type MinimumSpeed = { leastSpeed: number; graceMs: number }

/**
 * Passes chunks on, and gives up on a sender that brings fewer of them than it must. Only the time counts in which we wait for the
 * sender: what we take to handle a chunk is not theirs.
 */
export async function* atMinimumSpeed(
  chunks: AsyncIterable<Buffer>,
  { leastSpeed, graceMs }: MinimumSpeed,
): AsyncGenerator<Buffer> {
  const input = chunks[Symbol.asyncIterator]()
  let waitedMs = 0
  let received = 0
  try {
    for (;;) {
      const since = performance.now()
      const patienceMs = graceMs + (received / leastSpeed) * 1000 - waitedMs
      const next = await within(input.next(), patienceMs)
      if (next === 'late') throw new Fault('request_timeout', 'The body arrives too slowly, or has stopped arriving.')
      if (next.done) return
      waitedMs += performance.now() - since
      received += next.value.length
      yield next.value
    }
  } finally {
    // Not awaited: it may wait for the chunk that does not come.
    void input.return?.()?.then(undefined, () => {})
  }
}

/** What is late may still come, or fail; by then nobody asks. */
async function within<T>(coming: Promise<T>, ms: number): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, Math.max(0, ms), 'late')
  coming.catch(() => {})
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
  }
}
