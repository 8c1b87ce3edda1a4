import type { FastifyInstance } from 'fastify'
import { now, productShare, type Stretch, startProfile } from './stall-profile.ts'

/** The product may take less at once, a fourth of it; the rest is for a machine that is loaded. */
const stallMs = 200
const tickMs = 20
let profile: ReturnType<typeof startProfile> | undefined

/**
 * Watches the event loop of a test that runs the product in its own process. Counted is the time of the processor that the thread
 * used between two ticks, not the time of day: a loaded machine makes no stall. Of that the part of the product, by what the
 * thread was seen doing. `stop` fails where it was too much.
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
    const seen = profile!.take()
    const stalls = suspects
      .map((suspect) => ({ ...suspect, ...productShare(seen, suspect) }))
      .filter(({ usedMs, share }) => usedMs * share > stallMs)
    const told = stalls.map(
      ({ usedMs, share, around, mostly }) => `${Math.round(usedMs * share)} ms around ${around}, mostly in ${mostly}`,
    )
    if (told.length > 0) throw new Error(`the event loop stood still: ${told.join('; ')}`)
  }

  return { stop }
}
