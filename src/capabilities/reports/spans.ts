import type { Period } from '../../kernel/time-buckets.ts'

/** What counters exist for: hours, days, weeks from Monday, months; in UTC. */
export type Grain = 'h' | 'd' | 'w' | 'm'
/** A run of whole grains. */
export type Span = Period & { grain: Grain }
export type Cut = { spans: Span[]; ragged: Period[] }

/** From the longest. */
export const daily: readonly Grain[] = ['m', 'w', 'd']
export const hourly: readonly Grain[] = ['m', 'w', 'd', 'h']

/**
 * Contiguous periods, cut into the longest grains that fit into each, and the ragged ends that none fits into. Runs that
 * follow each other are one, also across periods: which period a counter belongs to is told by its start.
 */
export function cutIntoSpans(periods: readonly Period[], grains: readonly Grain[]): Cut {
  const cut: Cut = { spans: [], ragged: [] }
  for (const period of periods) cover(period, grains, cut)
  return cut
}

function cover({ since, until }: Period, grains: readonly Grain[], cut: Cut): void {
  if (since >= until) return
  const [grain, ...finer] = grains
  if (grain === undefined) {
    cut.ragged.push({ since, until })
    return
  }
  const first = startOf(since, grain)
  const from = first < since ? startOfNext(first, grain) : first
  const to = startOf(until, grain)
  if (from < to) {
    cover({ since, until: from }, finer, cut)
    append(cut.spans, { grain, since: from, until: to })
    cover({ since: to, until }, finer, cut)
  } else cover({ since, until }, finer, cut)
}

function append(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  if (last?.grain === span.grain && last.until.getTime() === span.since.getTime()) last.until = span.until
  else spans.push(span)
}

function startOf(at: Date, grain: Grain): Date {
  const start = new Date(at)
  if (grain === 'h') start.setUTCMinutes(0, 0, 0)
  else start.setUTCHours(0, 0, 0, 0)
  if (grain === 'm') start.setUTCDate(1)
  // getUTCDay counts from Sunday.
  if (grain === 'w') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7))
  return start
}

function startOfNext(start: Date, grain: Grain): Date {
  const next = new Date(start)
  if (grain === 'h') next.setUTCHours(next.getUTCHours() + 1)
  else if (grain === 'd') next.setUTCDate(next.getUTCDate() + 1)
  else if (grain === 'w') next.setUTCDate(next.getUTCDate() + 7)
  else next.setUTCMonth(next.getUTCMonth() + 1)
  return next
}
