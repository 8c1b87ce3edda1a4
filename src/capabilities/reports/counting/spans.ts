import type { Period } from '../../../kernel/time/time-buckets.ts'

/** What counters exist for: days and months, in UTC. */
export type Grain = 'd' | 'm'
/** Added, or taken away where another one covers too much. */
export type Signed = Period & { sign: 1 | -1 }
/** A run of whole grains. */
export type Span = Signed & { grain: Grain }
export type Cut = { spans: Span[]; ragged: Signed[] }

/** From the longest. */
const allGrains: readonly Grain[] = ['m', 'd']
const dayMs = 86_400_000

/**
 * Contiguous periods as runs of whole months and days, and the ragged ends that are shorter than a day. The first period may
 * begin and the last one end with more than it has, less what is too much: a year without its first two days is twelve months
 * less two days. Runs that follow each other are one, also across periods: which period a counter belongs to is told by its
 * start, where what is before the first belongs to it.
 */
export function cutIntoSpans(periods: readonly Period[]): Cut {
  const cut: Cut = { spans: [], ragged: [] }
  for (const [at, { since, until }] of periods.entries()) {
    const within = {
      since: at === 0 ? Number.NEGATIVE_INFINITY : since.getTime(),
      until: at === periods.length - 1 ? Number.POSITIVE_INFINITY : until.getTime(),
    }
    for (const piece of cover(since.getTime(), until.getTime(), 1, allGrains, within)) append(cut, piece)
  }
  return cut
}

type Times = { since: number; until: number }
type Piece = Times & { sign: 1 | -1; grain: Grain | undefined }

function cover(since: number, until: number, sign: 1 | -1, grains: readonly Grain[], within: Times): Piece[] {
  if (since > until) return cover(until, since, sign === 1 ? -1 : 1, grains, within)
  if (since === until) return []
  const [grain, ...finer] = grains
  if (grain === undefined) return [{ since, until, sign, grain }]
  const [from, to] = [nearest(since, grain, within), nearest(until, grain, within)]
  // The ends of a short period may be longer than the period. Also true where no grain starts within it.
  const isShort = !(from < to && Math.abs(since - from) + Math.abs(to - until) < until - since)
  if (isShort) return cover(since, until, sign, finer, within)
  const whole: Piece = { since: from, until: to, sign, grain }
  return [...cover(since, from, sign, finer, within), whole, ...cover(to, until, sign, finer, within)]
}

/** The start of a grain; not a number where both the last and the next one are outside. */
function nearest(at: number, grain: Grain, within: Times): number {
  const start = startOf(at, grain)
  if (start === at) return at
  const next = startOfNext(start, grain)
  const order = at - start <= next - at ? [start, next] : [next, start]
  return order.find((one) => one >= within.since && one <= within.until) ?? Number.NaN
}

function append({ spans, ragged }: Cut, { grain, sign, ...times }: Piece): void {
  const [since, until] = [new Date(times.since), new Date(times.until)]
  const last = spans.at(-1)
  if (grain === undefined) ragged.push({ since, until, sign })
  else if (last?.grain === grain && last.sign === sign && last.until.getTime() === times.since) last.until = until
  else spans.push({ grain, since, until, sign })
}

function startOf(at: number, grain: Grain): number {
  const start = new Date(at)
  start.setUTCHours(0, 0, 0, 0)
  if (grain === 'm') start.setUTCDate(1)
  return start.getTime()
}

function startOfNext(start: number, grain: Grain): number {
  if (grain === 'd') return start + dayMs
  const next = new Date(start)
  return next.setUTCMonth(next.getUTCMonth() + 1)
}
