import type { Period } from '../../../kernel/time/time-buckets.ts'

/** Whole months, days, hours or minutes, or a piece of a minute that is cut. */
export type Piece = Period & { grain: Grain | 'cut' }
export type Grain = 'm' | 'd' | 'h' | 'n'

const finer = { m: 'd', d: 'h', h: 'n', n: 'cut' } as const

/**
 * A period as few pieces, each of which a counter answers: the largest units that fit into the middle, smaller ones towards
 * both ends, and the cut minutes. At most nine, however long the period.
 */
export function splitPeriod({ since, until }: Period, grain: Grain | 'cut' = 'm'): Piece[] {
  if (since >= until) return []
  if (grain === 'cut') return [{ grain, since, until }]
  const first = startOf(grain, since) < since ? startOfNext(grain, since) : since
  const last = startOf(grain, until)
  if (first > last) return splitPeriod({ since, until }, finer[grain])
  return [
    ...splitPeriod({ since, until: first }, finer[grain]),
    // Where nothing whole is in between, the period is still cut there: no piece lies across the beginning of a day.
    ...(first < last ? [{ grain, since: first, until: last }] : []),
    ...splitPeriod({ since: last, until }, finer[grain]),
  ]
}

/** The minute, hour, day or month, in UTC, that a moment lies in. */
export function startOf(grain: Grain, at: Date): Date {
  const start = new Date(at)
  start.setUTCSeconds(0, 0)
  if (grain !== 'n') start.setUTCMinutes(0)
  if (grain === 'd' || grain === 'm') start.setUTCHours(0)
  if (grain === 'm') start.setUTCDate(1)
  return start
}

export function startOfNext(grain: Grain, at: Date): Date {
  const next = startOf(grain, at)
  if (grain === 'n') next.setUTCMinutes(next.getUTCMinutes() + 1)
  else if (grain === 'h') next.setUTCHours(next.getUTCHours() + 1)
  else if (grain === 'd') next.setUTCDate(next.getUTCDate() + 1)
  else next.setUTCMonth(next.getUTCMonth() + 1)
  return next
}
