import { utcMonth } from 'd3-time'

export type Bucket = { since: string; until: string }

const month = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })
const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthYear = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const whole = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const day = 86_400_000
const lengthOf = (bucket: Bucket): number => Date.parse(bucket.until) - Date.parse(bucket.since)

function sizeOf(buckets: readonly Bucket[]): 'month' | 'week' | 'day' {
  const longest = Math.max(...buckets.map(lengthOf))
  return longest > 8 * day ? 'month' : longest > day ? 'week' : 'day'
}

/** Whether the period cuts a bucket short. */
function isPart(bucket: Bucket, size: ReturnType<typeof sizeOf>): boolean {
  const since = new Date(bucket.since)
  const until = new Date(Date.parse(bucket.until) - 1)
  if (size === 'day') return false
  if (size === 'week') return lengthOf(bucket) !== 7 * day
  return +utcMonth.floor(since) !== +since || +utcMonth.ceil(until) !== Date.parse(bucket.until)
}

/** Behind the label of a bucket that is cut short. */
export const partMark = '*'

/** Under the axis: a month by its name, a week or a day by its date. */
export function axisLabels(buckets: readonly Bucket[]): string[] {
  const size = sizeOf(buckets)
  const format = size === 'month' ? month : dayMonth
  return buckets.map((bucket) => format.format(Date.parse(bucket.since)) + (isPart(bucket, size) ? partMark : ''))
}

/** What a mark says of itself. A bucket that the period cuts short says so. */
export function spokenLabels(buckets: readonly Bucket[]): string[] {
  const size = sizeOf(buckets)
  return buckets.map((bucket) => {
    const since = new Date(bucket.since)
    const until = new Date(Date.parse(bucket.until) - 1)
    if (size === 'day') return whole.format(since)
    const full = !isPart(bucket, size)
    if (size === 'month' && full) return monthYear.format(since)
    return `${whole.format(since)} to ${whole.format(until)}${full ? '' : ', in part'}`
  })
}

/** How many labels fit side by side: every how many-th is drawn. */
export function everyNth(count: number, width: number, perLabel = 44): number {
  return Math.max(1, Math.ceil((count * perLabel) / Math.max(1, width)))
}
