import assert from 'node:assert/strict'

/** Less than this is not looked at any further: what grows with the square of such sizes takes longer by far. */
const noticedMs = 40
/** This long after growing so much leaves no doubt. */
const certainMs = 500
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
  const first = costOf(() => run(more), 1)
  if (first < noticedMs) return
  const some = make(size)
  const less = Math.max(
    costOf(() => run(some), tries),
    1,
  )
  // Other tries could only cost less.
  if (first / less < mostGrowth) return
  const cost = costOf(() => run(more), tries)
  if (cost < noticedMs || cost / less < mostGrowth) return
  // Memory that has to be cleared up once may do that; what grows with the square does it again.
  const most = make(size * factor * factor)
  const again = cost > certainMs ? Number.POSITIVE_INFINITY : costOf(() => run(most), 1)
  assert.ok(
    again / cost < mostGrowth,
    `${size} cost ${less.toFixed(0)} ms, ${factor} times as much ${cost.toFixed(0)} ms, and that again ${again.toFixed(0)} ms`,
  )
}
