import { Fault } from '../contract/fault.ts'

/** For whoever has waited long enough. */
export function busy(): Fault {
  const message = 'The server is busy: too many requests of this kind at the same time. Try again in a moment.'
  return new Fault('unavailable', message, { retryAfterSeconds: 5 })
}

/** This many at a time; the others wait, in the order in which they came, but not for ever. */
export function createSemaphore(count: number, longestWaitMs: number) {
  const waiting = new Set<() => void>()
  let free = count

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await turn()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next) next()
      else free++
    }
  }

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(busy())
      }, longestWaitMs)
      waiting.add(begin)
    })
  }

  return { run, waiting: () => waiting.size }
}
