import type { FastifyInstance } from 'fastify'

/** 200 ms of the product, and as much again for the test, which is the client in the same thread. */
const stallMs = 400
/** Where no request was on its way the thread was mostly the test's own, which makes and compares large documents in it. */
const idleStallMs = 1_000
const tickMs = 20
let isExcused = false

/**
 * Watches the event loop of a test that runs the product in its own process. Counted is the time of the processor that the thread
 * used between two ticks, not the time of day: a loaded machine makes no stall. `stop` fails where there was one.
 */
export function watchStalls(app: FastifyInstance) {
  const stalls: string[] = []
  const recent: string[] = []
  let before = process.threadCpuUsage()
  // What was loaded and compiled up to now is not counted.
  isExcused = true
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    const usedMs = Math.round((user + system) / 1000)
    if (usedMs > (recent.length > 0 ? stallMs : idleStallMs) && !isExcused)
      stalls.push(`${usedMs} ms around ${recent.join(', ') || 'no request'}`)
    isExcused = false
    recent.length = 0
    before = process.threadCpuUsage()
  }
  const timer = setInterval(look, tickMs).unref()
  app.server.on('request', ({ method, url = '' }) => recent.push(`${method} ${url.slice(0, 80)}`))

  function stop(): void {
    clearInterval(timer)
    if (stalls.length > 0) throw new Error(`the event loop stood still: ${stalls.join('; ')}`)
  }

  return { stop }
}

/** What a test computes itself, in the thread of the product: not a stall of the product. */
export function aside<T>(work: () => T): T {
  isExcused = true
  try {
    return work()
  } finally {
    isExcused = true
  }
}
