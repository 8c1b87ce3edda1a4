import { createYield } from './event-loop-yield.ts'
import { each, takeTurns } from './steps.ts'

/** One after the other, in turns with others. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  await takeTurns(each(items, work), createYield(), () => {})
}
