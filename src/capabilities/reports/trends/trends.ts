import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { bucketsOf, type Period, readPeriod, shownPeriod } from '../../../kernel/time/time-buckets.ts'
import { knownByDays } from '../counting/day-store.ts'
import type { CountedSet } from '../counting/parts.ts'
import type { ReportFilters } from '../scope/filters.ts'
import { scopeOf } from '../scope/scope.ts'
import { countEver, countFixesByDays, countStandingByDays, type StandingRow } from './day-store.ts'
import { type Asked, rowsByDays, rowsByFindings } from './rows.ts'
import { ageOf, type Rate, rateFor, readWhole, timeToFixOf } from './sample.ts'
import type { TrendGroup, Trends } from './trend-contract.ts'
import { countFixes, countStanding, type PointRow } from './trend-store.ts'

const pointer = '/filters/timePeriod'
const noRows = { rows: [], moreRows: 0, rowMediansOf: 1 }

/** Whether it is getting better: the backlog at the end of each bucket, and how long fixing took. */
export function createTrendReport(db: Database, clock: Clock) {
  return async function trends(actor: Actor, filters: ReportFilters, by?: TrendGroup): Promise<Trends> {
    const now = clock.now()
    const period = readPeriod(filters.timePeriod, now, pointer, filters.wholeDays)
    const buckets = bucketsOf(period, filters.timeBucketSize, pointer)
    const reader = db.as(actor)
    const { wanted } = await scopeOf(reader, actor, filters)
    const moments = buckets.map(({ until }) => lastOf(until, now))
    const asked = by && { by, at: moments.at(-1)!, buckets }
    const rate = rateFor((knownByDays(wanted) && (await countEver(reader, wanted.repositories))) || 0)
    return (
      (rate > 1 && (await byDays(reader, wanted, { moments, buckets, asked, rate }))) ||
      byFindings(reader, wanted, { moments, buckets, asked })
    )
  }
}

type Question = { moments: readonly Date[]; buckets: readonly Period[]; asked: Asked | undefined }

/** Everything by the findings and their history. */
async function byFindings(
  reader: Queryable,
  wanted: CountedSet,
  { moments, buckets, asked }: Question,
): Promise<Trends> {
  const ends = distinct(moments)
  const points = byMoment(ends, await countStanding(reader, { ...wanted, rate: 1 }, ends))
  const fixes = byBucket(await countFixes(reader, { ...wanted, rate: 1 }, buckets))
  return {
    points: moments.map((at) => {
      const { open = 0, median } = points.get(at.getTime()) ?? {}
      return { at: at.toISOString(), open, ...ageOf(open, median) }
    }),
    fixes: buckets.map((bucket, index) => {
      const { fixed = 0, median } = fixes.get(index + 1) ?? {}
      return { timePeriod: shownPeriod(bucket), fixed, ...timeToFixOf(fixed, median) }
    }),
    mediansOf: 1,
    ...(asked ? await rowsByFindings(reader, wanted, asked) : noRows),
  }
}

/** Numbers by the counters of days, and medians by one finding in this many; undefined while days are due. */
async function byDays(
  reader: Queryable,
  wanted: CountedSet,
  { moments, buckets, asked, rate }: Question & { rate: Rate },
): Promise<Trends | undefined> {
  const { repositories } = wanted
  const ends = distinct(moments)
  const standing = await countStandingByDays(reader, repositories, ends)
  const fixed = await countFixesByDays(reader, repositories, buckets)
  const rows = asked ? await rowsByDays(reader, wanted, asked) : noRows
  if (!standing || !fixed || !rows) return undefined
  const ages = await agesOf(reader, { ...wanted, rate }, ends, standing)
  const openAt = new Map(ends.map((at, index) => [at.getTime(), standing[index]!.open]))
  const fixes = byBucket(await countFixes(reader, { ...wanted, rate }, buckets))
  const fixedIn = byBucket(fixed)
  return {
    points: moments.map((at) => {
      const open = openAt.get(at.getTime())!
      return { at: at.toISOString(), open, ...ageOf(open, ages.get(at.getTime())?.median) }
    }),
    fixes: buckets.map((bucket, index) => {
      const count = fixedIn.get(index + 1)?.fixed ?? 0
      return { timePeriod: shownPeriod(bucket), fixed: count, ...timeToFixOf(count, fixes.get(index + 1)?.median) }
    }),
    mediansOf: rate,
    ...rows,
  }
}

/** Moments before which few findings were raised are those of all of them: a sample may have none. */
async function agesOf(
  reader: Queryable,
  drawn: CountedSet & { rate: Rate },
  ends: readonly Date[],
  standing: readonly StandingRow[],
): Promise<Map<number, PointRow>> {
  const early = standing.filter(({ ever }) => readWhole(ever)).length
  const [first, later] = [ends.slice(0, early), ends.slice(early)]
  const whole = first.length > 0 ? await countStanding(reader, { ...drawn, rate: 1, lookUp: true }, first) : []
  const some = later.length > 0 ? await countStanding(reader, drawn, later) : []
  return new Map([...byMoment(first, whole), ...byMoment(later, some)])
}

function byMoment(ends: readonly Date[], rows: readonly PointRow[]): Map<number, PointRow> {
  return new Map(rows.map((row) => [ends[row.point - 1]!.getTime(), row]))
}

function byBucket<Row extends { bucket: number }>(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.bucket, row]))
}

/** The last moment of a bucket, whose end belongs to the next; of one that is not over, now. */
function lastOf(until: Date, now: Date): Date {
  return until < now ? new Date(until.getTime() - 1) : now
}

/** Buckets that are still to come end now. */
function distinct(moments: readonly Date[]): Date[] {
  return [...new Set(moments.map((at) => at.getTime()))].map((time) => new Date(time))
}
