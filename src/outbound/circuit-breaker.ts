import { OutboundError } from './outbound-error.ts'

export type CircuitState = 'closed' | 'open' | 'half_open'
export type CircuitOptions = { failures: number; pauseMs: number; now: () => number; maxOrigins?: number }
/** Every permit is answered exactly once. */
export type Permit = {
  succeeded(): void
  failed(): void /** It says nothing about the other side. */
  abandoned(): void
}

type Trouble = { failures: number; openedAt: number | undefined; isProbing: boolean }

/**
 * One breaker per origin: after this many failures in a row it refuses without trying; after a pause it lets one request
 * through, whose outcome closes it or starts the pause again. Origins without trouble take no memory.
 */
export function createCircuitBreakers({ failures, pauseMs, now, maxOrigins = 10_000 }: CircuitOptions) {
  const troubled = new Map<string, Trouble>()

  function stateOf({ openedAt }: Trouble): CircuitState {
    if (openedAt === undefined) return 'closed'
    return now() - openedAt < pauseMs ? 'open' : 'half_open'
  }

  function enter(origin: string): Permit {
    const trouble = troubled.get(origin)
    const state = trouble ? stateOf(trouble) : 'closed'
    if (state === 'open' || (state === 'half_open' && trouble!.isProbing)) {
      throw new OutboundError(
        'circuit_open',
        `${origin} failed ${trouble!.failures} times in a row; it is left alone for a while.`,
      )
    }
    const isProbe = state === 'half_open'
    if (isProbe) trouble!.isProbing = true
    return {
      succeeded: () => void troubled.delete(origin),
      failed: () => note(origin),
      abandoned() {
        if (isProbe) trouble!.isProbing = false
      },
    }
  }

  function note(origin: string): void {
    const trouble = troubled.get(origin) ?? { failures: 0, openedAt: undefined, isProbing: false }
    trouble.failures++
    trouble.isProbing = false
    if (trouble.failures >= failures) trouble.openedAt = now()
    troubled.delete(origin)
    troubled.set(origin, trouble)
    // Whoever may choose the address could otherwise fill the memory with names.
    if (troubled.size > maxOrigins) troubled.delete(troubled.keys().next().value!)
  }

  /** For the metrics: the origins that failed last time they were asked. */
  function list(): { origin: string; state: CircuitState; failures: number }[] {
    return [...troubled].map(([origin, trouble]) => ({ origin, state: stateOf(trouble), failures: trouble.failures }))
  }

  return { enter, list }
}
