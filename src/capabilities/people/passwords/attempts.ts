import { Fault } from '../../../kernel/contract/fault.ts'
import type { Clock } from '../../../kernel/time/clock.ts'

const mostKeys = 10_000

/** Counts what happens per key within a window of time; each process for itself. */
export function createAttempts(options: { limit: number; windowSeconds: number; clock: Clock }) {
  const windowMs = options.windowSeconds * 1_000
  const times = new Map<string, number[]>()

  function recent(key: string): number[] {
    const since = options.clock.now().getTime() - windowMs
    return (times.get(key) ?? []).filter((at) => at > since)
  }

  function note(key: string): void {
    const all = [...recent(key), options.clock.now().getTime()]
    times.delete(key)
    if (times.size >= mostKeys) times.delete(times.keys().next().value!)
    times.set(key, all.slice(-options.limit))
  }

  function isExhausted(key: string): boolean {
    return recent(key).length >= options.limit
  }

  function check(key: string, message: string): void {
    if (!isExhausted(key)) return
    const waitMs = recent(key)[0]! + windowMs - options.clock.now().getTime()
    throw new Fault('too_many_requests', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
  }

  return { note, isExhausted, check }
}
