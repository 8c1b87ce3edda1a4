import type { Clock } from '../../kernel/clock.ts'
import { Fault } from '../../kernel/fault.ts'

const maxKeys = 10_000

/** Refuses a key after too many failures within a window. */
export function createAttemptLimit(options: { limit: number; windowSeconds: number; clock: Clock }) {
  const failures = new Map<string, number[]>()

  function recent(key: string): number[] {
    const since = options.clock.now().getTime() - options.windowSeconds * 1000
    return (failures.get(key) ?? []).filter((at) => at > since)
  }

  function check(key: string): void {
    const times = recent(key)
    if (times.length < options.limit) return
    const wait = Math.ceil((times[0]! + options.windowSeconds * 1000 - options.clock.now().getTime()) / 1000)
    throw new Fault('too_many_requests', 'Too many failed sign-ins from this address.', {
      retryAfterSeconds: Math.max(1, wait),
    })
  }

  function note(key: string): void {
    const times = recent(key)
    failures.delete(key)
    if (failures.size >= maxKeys) failures.delete(failures.keys().next().value!)
    failures.set(key, [...times, options.clock.now().getTime()])
  }

  return { check, note }
}
