export type Backoff = { firstSeconds: number; factor: number; mostSeconds: number }

/** Half a minute for a hiccup, most of a day for a receiver that somebody has to mend: ten tries in about 18 hours. */
export const patient: Backoff = { firstSeconds: 10, factor: 3, mostSeconds: 8 * 3_600 }

/** How long to wait after a try. Spread, so that what failed together does not come back together. */
export function waitSeconds(attempt: number, backoff: Backoff, random: () => number): number {
  const full = Math.min(backoff.firstSeconds * backoff.factor ** (attempt - 1), backoff.mostSeconds)
  return full * (0.75 + random() / 2)
}
