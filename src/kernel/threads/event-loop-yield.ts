import type { Fault } from '../contract/fault.ts'
import { createFairTurns } from './fair-turns.ts'

type Yield = () => Promise<void> | undefined

const sliceMs = 10
const turns = createFairTurns<undefined>()
const unmeasured = { ends: () => {}, begins: () => {} }

/**
 * For loops over what others sent: `await` what it gives, where it gives anything, and whoever else waits has their turn. Of all
 * such loops that are under way one goes on in each turn of the event loop, so that many of them are no slower to others than one.
 */
export function createYield(slice = unmeasured): Yield {
  let since = performance.now()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    slice.ends()
    return turns.wait(undefined).then(() => {
      since = performance.now()
      slice.begins()
    })
  }
}

/** The same, for work that is given up after this much time of the processor; `tooMuch` says what was too much. */
export function createCpuBudget(seconds: number, tooMuch: () => Fault): Yield {
  let used = 0
  let before = process.threadCpuUsage()
  return createYield({
    ends: () => {
      const { user, system } = process.threadCpuUsage(before)
      used += user + system
      if (used > seconds * 1_000_000) throw tooMuch()
    },
    begins: () => {
      before = process.threadCpuUsage()
    },
  })
}
