import type { FastifyInstance } from 'fastify'
import { now, type Stretch, seenOfProduct, startProfile } from './stall-profile.ts'

/** The product may take less at once, a fourth of it; the rest is for a machine that is loaded. */
const stallMs = 200
const tickMs = 20
let profile: ReturnType<typeof startProfile> | undefined

/**
 * Watches the event loop of a test that runs the product in its own process. Counted is the time of the processor that the thread
 * used between two ticks, not the time of day: a loaded machine makes no stall. Of that the part of the product, by what the
 * thread was seen doing, for as long as it was seen. `stop` fails where it was too much.
 */
export function watchStalls(app: FastifyInstance) {
  profile ??= startProfile()
  const suspects: (Stretch & { usedMs: number; around: string })[] = []
  const recent: string[] = []
  let from = now()
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    const usedMs = (user + system) / 1000
    const around = recent.join(', ') || 'no request'
    if (usedMs > stallMs) suspects.push({ from, to: now(), usedMs, around })
    recent.length = 0
    from = now()
    before = process.threadCpuUsage()
  }
  const timer = setInterval(look, tickMs).unref()
  app.server.on('request', ({ method, url = '' }) => recent.push(`${method} ${url.slice(0, 80)}`))

  function stop(): void {
    clearInterval(timer)
    look()
    if (suspects.length === 0) return
    const seen = profile!.look()
    const stalls = suspects
      .map((suspect) => ({ ...suspect, ...seenOfProduct(seen, suspect) }))
      .map(({ usedMs, seenMs, share, ...rest }) => ({ ...rest, ms: Math.min(usedMs, seenMs) * share }))
      .filter(({ ms }) => ms > stallMs)
    const told = stalls.map(({ ms, around, mostly }) => `${Math.round(ms)} ms around ${around}, mostly in ${mostly}`)
    if (told.length > 0) throw new Error(`the event loop stood still: ${told.join('; ')}`)
  }

  return { stop }
}
