export type Backoff = { firstSeconds: number; factor: number; mostSeconds: number }

/** Half a minute for a hiccup, most of a day for a receiver that somebody has to mend: ten tries in about 18 hours. */
export const patient: Backoff = { firstSeconds: 10, factor: 3, mostSeconds: 8 * 3_600 }

/**
 * How long to wait after a try. Spread, so that what failed together does not come back together. A receiver may ask for more
 * patience than we have by ourselves and gets it, but for no longer than we ever wait; not for less, or it could have us
 * spend all tries at once.
 */
export function waitSeconds(attempt: number, backoff: Backoff, random: () => number, askedSeconds = 0): number {
  const full = Math.min(backoff.firstSeconds * backoff.factor ** (attempt - 1), backoff.mostSeconds)
  const asked = Math.min(askedSeconds, backoff.mostSeconds)
  return Math.max(full * (0.75 + random() / 2), asked * (1 + random() / 4))
}
