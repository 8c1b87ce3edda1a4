import type { Fault } from '../contract/fault.ts'

const sliceMs = 10
const waiting: (() => void)[] = []

/**
 * For loops over what others sent: `await` what it gives, where it gives anything, and whoever else waits has their turn. Of all
 * such loops that are under way one goes on in each turn of the event loop, so that many of them are no slower to others than one.
 */
export function createYield(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    return turn().then(() => {
      since = performance.now()
    })
  }
}

/** The same, for work that is given up after so much time of the processor; `tooMuch` says what was too much. */
export function createCpuBudget(seconds: number, tooMuch: () => Fault): () => Promise<void> | undefined {
  let used = 0
  let since = performance.now()
  let before = process.threadCpuUsage()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    const { user, system } = process.threadCpuUsage(before)
    used += user + system
    if (used > seconds * 1_000_000) throw tooMuch()
    return turn().then(() => {
      since = performance.now()
      before = process.threadCpuUsage()
    })
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function next(): void {
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(next)
}
