import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { bucketsOf, type Period, readPeriod, shownPeriod } from '../../../kernel/time/time-buckets.ts'
import { knownByDays } from '../counting/day-store.ts'
import type { CountedSet } from '../counting/parts.ts'
import type { ReportFilters } from '../scope/filters.ts'
import { scopeOf } from '../scope/scope.ts'
import { countEver, countFixesByDays, countStandingByDays } from './day-store.ts'
import { type Asked, rowsByDays, rowsByFindings } from './rows.ts'
import { type Rate, rateFor } from './sample.ts'
import type { TrendGroup, Trends } from './trend-contract.ts'
import { countFixes, countStanding } from './trend-store.ts'

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
    const moments = buckets.map(({ until }) => (until < now ? until : now))
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
  const { medians, points } = await mediansOf(reader, { ...wanted, rate: 1 }, moments, buckets)
  return {
    points: moments.map((at) => ({
      at: at.toISOString(),
      open: points.get(at.getTime())?.open ?? 0,
      ...medians.ageAt(at),
    })),
    fixes: buckets.map((bucket, index) => ({
      timePeriod: shownPeriod(bucket),
      fixed: medians.fixes.get(index + 1)?.fixed ?? 0,
      ...medians.timeToFix(index),
    })),
    mediansOf: 1,
    ...(asked ? await rowsByFindings(reader, wanted, asked) : noRows),
  }
}

/** Numbers by the counters of days, and medians by one finding in so many; undefined while days are due. */
async function byDays(
  reader: Queryable,
  wanted: CountedSet,
  { moments, buckets, asked, rate }: Question & { rate: Rate },
): Promise<Trends | undefined> {
  const { repositories } = wanted
  const ends = distinct(moments)
  const standing = await countStandingByDays(reader, repositories, ends)
  const fixes = await countFixesByDays(reader, repositories, buckets)
  const rows = asked ? await rowsByDays(reader, wanted, asked) : noRows
  if (!standing || !fixes || !rows) return undefined
  const { medians } = await mediansOf(reader, { ...wanted, rate }, moments, buckets)
  const openAt = new Map(ends.map((at, index) => [at.getTime(), standing[index]!]))
  const fixedIn = new Map(fixes.map((row) => [row.bucket, row.fixed]))
  return {
    points: moments.map((at) => ({ at: at.toISOString(), open: openAt.get(at.getTime())!, ...medians.ageAt(at) })),
    fixes: buckets.map((bucket, index) => ({
      timePeriod: shownPeriod(bucket),
      fixed: fixedIn.get(index + 1) ?? 0,
      ...medians.timeToFix(index),
    })),
    mediansOf: rate,
    ...rows,
  }
}

async function mediansOf(
  reader: Queryable,
  drawn: CountedSet & { rate: Rate },
  moments: readonly Date[],
  buckets: readonly Period[],
) {
  const ends = distinct(moments)
  const rows = await countStanding(reader, drawn, ends)
  const points = new Map(rows.map((row) => [ends[row.point - 1]!.getTime(), row]))
  const fixes = new Map((await countFixes(reader, drawn, buckets)).map((row) => [row.bucket, row]))
  return {
    points,
    medians: {
      fixes,
      ageAt: (at: Date) => ({ medianAgeSeconds: points.get(at.getTime())?.median ?? 0 }),
      timeToFix: (index: number) => ({ medianSecondsToFix: fixes.get(index + 1)?.median ?? 0 }),
    },
  }
}

/** Buckets that are still to come end now. */
function distinct(moments: readonly Date[]): Date[] {
  return [...new Set(moments.map((at) => at.getTime()))].map((time) => new Date(time))
}
