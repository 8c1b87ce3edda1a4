import { createYield } from './event-loop-yield.ts'

/** One after the other, in turns with others. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const breath = createYield()
  let count = 0
  for (const item of items) {
    work(item)
    // The clock is not looked at for every one of them.
    if (++count % 256 !== 0) continue
    const turn = breath()
    if (turn) await turn
  }
}
