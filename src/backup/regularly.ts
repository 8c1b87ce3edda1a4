import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'

/** Lends whoever works on the whole database a connection that may. */
export type AsOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => Promise<T>

/** What goes on until it is ended, which waits for what is under way. */
export type Schedule = { end(): Promise<void> }

const lookMs = 60_000

/** In looks. */
const longestPause = 60

/**
 * Now and each minute, unless the look before is still under way. What fails is told, unless it was ended, and tried again after two
 * minutes, then after twice as long each time, at most an hour.
 */
export function regularly(look: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): Schedule {
  let under: Promise<void> | undefined
  let failures = 0
  let left = 0
  const stopping = new AbortController()
  const { signal } = stopping
  const next = () => {
    if (under || --left > 0) return
    under = look(signal)
      .then(() => {
        failures = 0
      })
      .catch((error) => {
        if (signal.aborted) return
        left = Math.min(2 ** ++failures, longestPause)
        failed(error)
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
