import type { Period } from '../../kernel/time-buckets.ts'

/** The lengths of time that what was blocked is counted in, in hours. Each is a few of the one below it. */
export const spanHours = [1024, 256, 64, 16, 4, 1] as const
export type SpanHours = (typeof spanHours)[number]

/** Spans of one length, one after the other; 0 for a piece of an hour that is cut. */
export type Spans = Period & { hours: SpanHours | 0 }

const hourMs = 3_600_000

/**
 * A period as spans: the longest that fit into the middle, shorter ones towards both ends, and the cut hours. However long it
 * is, it has at most three of each length at either end, so a report reads little of what there is.
 */
export function spansOf({ since, until }: Period, level = 0): Spans[] {
  if (since >= until) return []
  const hours = spanHours[level]
  if (hours === undefined) return [{ hours: 0, since, until }]
  const first = startOfSpan(hours, new Date(since.getTime() + hours * hourMs - 1))
  const last = startOfSpan(hours, until)
  if (first > last) return spansOf({ since, until }, level + 1)
  return [
    ...spansOf({ since, until: first }, level + 1),
    ...(first < last ? [{ hours, since: first, until: last }] : []),
    ...spansOf({ since: last, until }, level + 1),
  ]
}

/** Counted from 1970, in UTC: longer spans do not begin with days. */
export function startOfSpan(hours: SpanHours, at: Date): Date {
  const length = hours * hourMs
  return new Date(Math.floor(at.getTime() / length) * length)
}
