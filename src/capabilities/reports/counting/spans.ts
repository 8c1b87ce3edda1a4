import type { Period } from '../../../kernel/time/time-buckets.ts'

/** What counters exist for: hours, days, weeks from Monday, months; in UTC. */
export type Grain = 'h' | 'd' | 'w' | 'm'
/** Added, or taken away where another one covers too much. */
export type Signed = Period & { sign: 1 | -1 }
/** A run of whole grains. */
export type Span = Signed & { grain: Grain }
export type Cut = { spans: Span[]; ragged: Signed[] }

/** From the longest. */
export const daily: readonly Grain[] = ['m', 'w', 'd']
export const hourly: readonly Grain[] = ['m', 'w', 'd', 'h']
export const wholeDays: readonly Grain[] = ['d']

const hourMs = 3_600_000
export const lengthMs = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs, m: 30 * 24 * hourMs }

/**
 * Contiguous periods as runs of whole grains and the ragged ends that none fits: the fewest that were found. The first
 * period may begin and the last one end with more than it has, less what is too much: a year without its first two days is
 * twelve months less two days. Runs that follow each other are one, also across periods: which period a counter belongs to
 * is told by its start, where what is before the first belongs to it.
 */
export function cutIntoSpans(periods: readonly Period[], grains: readonly Grain[]): Cut {
  const cut: Cut = { spans: [], ragged: [] }
  for (const [at, { since, until }] of periods.entries()) {
    const within = {
      since: at === 0 ? Number.NEGATIVE_INFINITY : since.getTime(),
      until: at === periods.length - 1 ? Number.POSITIVE_INFINITY : until.getTime(),
    }
    for (const piece of cover(since.getTime(), until.getTime(), 1, grains, within)) append(cut, piece)
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
  const without = () => cover(since, until, sign, finer, within)
  if (from === undefined || to === undefined || from >= to) return without()
  const whole: Piece = { since: from, until: to, sign, grain }
  if (from === since && to === until) return [whole]
  const pieces = [...cover(since, from, sign, finer, within), whole, ...cover(to, until, sign, finer, within)]
  // Of a few grains the ends may be longer than the whole.
  const others = to - from > 2 * lengthMs[grain] ? pieces : without()
  return cost(others) < cost(pieces) ? others : pieces
}

/** In counters to be read: one to find the first, and ten for an hour of findings. */
function cost(pieces: readonly Piece[]): number {
  let sum = 0
  for (const { since, until, grain } of pieces) sum += 1 + (until - since) / (grain ? lengthMs[grain] : hourMs / 10)
  return sum
}

/** Undefined where both the start of the grain and the next one are outside. */
function nearest(at: number, grain: Grain, within: Times): number | undefined {
  const start = startOf(at, grain)
  if (start === at) return at
  const next = startOfNext(start, grain)
  const order = at - start <= next - at ? [start, next] : [next, start]
  return order.find((one) => one >= within.since && one <= within.until)
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
  if (grain === 'h') start.setUTCMinutes(0, 0, 0)
  else start.setUTCHours(0, 0, 0, 0)
  if (grain === 'm') start.setUTCDate(1)
  // getUTCDay counts from Sunday.
  if (grain === 'w') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7))
  return start.getTime()
}

function startOfNext(start: number, grain: Grain): number {
  if (grain !== 'm') return start + lengthMs[grain]
  const next = new Date(start)
  return next.setUTCMonth(next.getUTCMonth() + 1)
}
