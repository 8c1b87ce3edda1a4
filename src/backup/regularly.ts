import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'

/** Lends whoever works on the whole database a connection that may. */
export type AsOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => Promise<T>

/** What goes on until it is ended, which waits for what is under way. */
export type Schedule = { end(): Promise<void> }

const lookMs = 60_000

/** Now and each minute, unless the look before is still under way. What fails is told, unless it was ended. */
export function regularly(look: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): Schedule {
  let under: Promise<void> | undefined
  const stopping = new AbortController()
  const { signal } = stopping
  const next = () => {
    under ??= look(signal)
      .catch((error) => {
        if (!signal.aborted) failed(error)
      })
      .finally(() => {
        under = undefined
      })
  }
  const timer = setInterval(next, lookMs)
  next()
  return {
    async end(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await under
    },
  }
}
