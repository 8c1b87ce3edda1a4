import type { Period } from '../../../kernel/time/time-buckets.ts'
import type { Axis, Part } from './parts.ts'
import { cutIntoSpans, daily, hourly, lengthMs, type Signed, type Span, wholeDays } from './spans.ts'

/** A part of a report, what its period was cut into, and where its spans are read from. The ragged ends are findings. */
export type CounterPlan = {
  part: Part
  spans: readonly Span[]
  ragged: readonly Signed[]
  counters: boolean
  /** Whose sheets. With counters as well, the statement takes what is less to read. */
  sheets: Axis | undefined
}

/** With fewer counters to read the choice would take longer than it saves. */
const fewCounters = 300

export function planCounters(
  part: Part,
  categories: readonly number[] | undefined,
  buckets: readonly Period[],
): CounterPlan {
  const { spans, ragged } = cutIntoSpans(buckets, grainsOf(part))
  if (spans.length === 0) return { part, spans, ragged, counters: false, sheets: undefined }
  if (part.from !== 'counters') return { part, spans, ragged, counters: false, sheets: part.from }
  const axis = part.repositories ? 'repositories' : 'rules'
  const isEither = !categories && countersFor(part, spans) > fewCounters
  return { part, spans, ragged, counters: true, sheets: isEither ? axis : undefined }
}

function grainsOf({ from, repositories, rules }: Part) {
  if (from !== 'counters') return wholeDays
  return repositories || rules ? daily : hourly
}

/** Days of each repository or rule; 0 where longer grains do, because sheets are read by days. */
export function countersFor({ count }: Part, [span, ...more]: readonly Span[]): number {
  if (span?.grain !== 'd' || more.length > 0) return 0
  return count * ((span.until.getTime() - span.since.getTime()) / lengthMs.d)
}
