import type { FastifyReply } from 'fastify'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Clock } from '../../kernel/time/clock.ts'

type Window = { startedAt: number; count: number }

const maxKeys = 50_000

/** Counts requests per key in fixed windows. Each process counts for itself. */
export function createRateLimit(options: { limit: number; windowSeconds: number; clock: Clock }) {
  const windows = new Map<string, Window>()
  const length = options.windowSeconds * 1000
  const policy = `"default";q=${options.limit};w=${options.windowSeconds}`

  function take(key: string): { remaining: number; resetSeconds: number } {
    const now = options.clock.now().getTime()
    let window = windows.get(key)
    if (!window || now - window.startedAt >= length || now < window.startedAt) {
      if (windows.size >= maxKeys) forgetOldest()
      // Set again so that the map stays ordered by the beginning of the windows.
      windows.delete(key)
      window = { startedAt: now, count: 0 }
      windows.set(key, window)
    }
    window.count++
    return {
      remaining: options.limit - window.count,
      resetSeconds: Math.ceil((window.startedAt + length - now) / 1000),
    }
  }

  function forgetOldest(): void {
    const oldest = windows.keys().next()
    if (!oldest.done) windows.delete(oldest.value)
  }

  /** Takes one request and tells the caller how many are left (draft-ietf-httpapi-ratelimit-headers). */
  function enforce(key: string, reply: FastifyReply): void {
    const { remaining, resetSeconds } = take(key)
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"default";r=${Math.max(0, remaining)};t=${resetSeconds}`)
    if (remaining < 0) {
      throw new Fault(
        'too_many_requests',
        `More than ${options.limit} requests in ${options.windowSeconds} seconds. Wait ${resetSeconds} seconds.`,
        {
          retryAfterSeconds: resetSeconds,
        },
      )
    }
  }

  return { take, enforce }
}
