import assert from 'node:assert/strict'

/** Less than this is not looked at any further: what grows with the square of such sizes takes longer by far. */
const noticedMs = 40
const tries = 3
/** Four times the input: 4 where the cost is linear, 16 where it is the square. */
const factor = 4
const mostGrowth = 9

/** Time of the processor that this thread takes; the least of a few tries, since a loaded machine only ever adds to it. */
function costOf(work: () => unknown, times: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < times; count++) {
    const before = process.threadCpuUsage()
    try {
      work()
    } catch {
      // That it refuses an input is not of interest here, only when.
    }
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Fails where four times the input costs much more than four times the time. */
export function assertNearLinear<Input>(
  size: number,
  make: (size: number) => Input,
  run: (input: Input) => unknown,
): void {
  const more = make(size * factor)
  if (costOf(() => run(more), 1) < noticedMs) return
  const some = make(size)
  const less = Math.max(
    costOf(() => run(some), tries),
    1,
  )
  const cost = costOf(() => run(more), tries)
  const growth = cost / less
  assert.ok(
    cost < noticedMs || growth < mostGrowth,
    `${size} cost ${less.toFixed(1)} ms, ${size * factor} cost ${cost.toFixed(1)} ms: ${growth.toFixed(1)} times as much`,
  )
}
