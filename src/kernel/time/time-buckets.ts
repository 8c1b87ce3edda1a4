import Type, { type Static } from 'typebox'
import { Fault } from '../contract/fault.ts'
import { NamedObject, named, OneOf, Timestamp } from '../contract/schema.ts'
import { earliestMoment, latestMoment } from './date-time.ts'

/** As reports take it. */
export const TimePeriodFilter = NamedObject(
  'TimePeriodFilter',
  { since: Type.Optional(Timestamp), until: Type.Optional(Timestamp) },
  { description: 'From since, which belongs to it, until until, which does not; by default the 30 days up to now' },
)
/** As reports answer with it. */
export const TimePeriod = NamedObject(
  'TimePeriod',
  { since: Timestamp, until: Timestamp },
  { description: 'Until is not part of it' },
)
export type TimePeriod = Static<typeof TimePeriod>

export const timeBucketSizes = ['TIME_BUCKET_SIZE_DAY', 'TIME_BUCKET_SIZE_WEEK', 'TIME_BUCKET_SIZE_MONTH'] as const
export type TimeBucketSize = (typeof timeBucketSizes)[number]
export const TimeBucketSizeFilter = named(
  'TimeBucketSizeFilter',
  OneOf(
    timeBucketSizes,
    'Days, weeks from Monday or months, in UTC; by default days up to 31 days, weeks up to 183 days, months beyond',
  ),
)

/** `since` inclusive, `until` exclusive. */
export type Period = { since: Date; until: Date }

export const WholeDaysFilter = named(
  'WholeDaysFilter',
  Type.Boolean({
    description:
      'Widens the period to whole UTC days, so that the numbers of a day stay the same throughout it; by default the 30 days up to the end of today. False by default',
  }),
)

const dayMs = 86_400_000
const defaultDays = 30
const mostBuckets = 1000

/** The period that a report is asked for. `pointer` is where the request names it. */
export function readPeriod(
  given: Static<typeof TimePeriodFilter> | undefined,
  now: Date,
  pointer: string,
  wholeDays = false,
): Period {
  const end = given?.until === undefined ? now : new Date(given.until)
  if (given?.since !== undefined && new Date(given.since) >= end) refuse(pointer, 'since must be before until')
  const until = wholeDays ? endOfDay(end) : end
  const since = given?.since === undefined ? before(until, defaultDays * dayMs) : new Date(given.since)
  if (since >= until) refuse(pointer, 'since must be before until')
  return { since: wholeDays ? startOfDay(since) : since, until }
}

function startOfDay(at: Date): Date {
  return new Date(Math.max(Math.floor(at.getTime() / dayMs) * dayMs, earliestMoment.getTime()))
}

/** The last day that can be written has none. */
function endOfDay(at: Date): Date {
  const end = Math.ceil(at.getTime() / dayMs) * dayMs
  return end > latestMoment.getTime() ? at : new Date(end)
}

/** The contiguous buckets of a period, the first and the last cut to it. */
export function bucketsOf({ since, until }: Period, size: TimeBucketSize | undefined, pointer: string): Period[] {
  const step = size ?? defaultSize({ since, until })
  const buckets: Period[] = []
  let start = since
  while (start < until) {
    if (buckets.length === mostBuckets) refuse(pointer, `makes more than ${mostBuckets} buckets: choose larger ones`)
    const next = startOfNext(start, step)
    const end = next < until ? next : until
    buckets.push({ since: start, until: end })
    start = end
  }
  return buckets
}

/** The period of the same length right before, as far as time can be written. */
export function previousPeriod({ since, until }: Period): Period {
  return { since: before(since, until.getTime() - since.getTime()), until: since }
}

export function shownPeriod({ since, until }: Period): TimePeriod {
  return { since: since.toISOString(), until: until.toISOString() }
}

function before(moment: Date, ms: number): Date {
  return new Date(Math.max(moment.getTime() - ms, earliestMoment.getTime()))
}

function defaultSize({ since, until }: Period): TimeBucketSize {
  const days = (until.getTime() - since.getTime()) / dayMs
  if (days <= 31) return 'TIME_BUCKET_SIZE_DAY'
  return days <= 183 ? 'TIME_BUCKET_SIZE_WEEK' : 'TIME_BUCKET_SIZE_MONTH'
}

function startOfNext(at: Date, size: TimeBucketSize): Date {
  const next = new Date(at)
  next.setUTCHours(0, 0, 0, 0)
  if (size === 'TIME_BUCKET_SIZE_DAY') next.setUTCDate(next.getUTCDate() + 1)
  // getUTCDay counts from Sunday; a Monday is seven days before the next one.
  else if (size === 'TIME_BUCKET_SIZE_WEEK') next.setUTCDate(next.getUTCDate() + 7 - ((next.getUTCDay() + 6) % 7))
  else next.setUTCMonth(next.getUTCMonth() + 1, 1)
  return next
}

function refuse(pointer: string, detail: string): never {
  throw new Fault('validation_failed', `The time period ${detail}.`, { errors: [{ pointer, detail }] })
}
