import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { bucketsOf, readPeriod, shownPeriod } from '../../../kernel/time/time-buckets.ts'
import type { ReportFilters } from '../scope/filters.ts'
import { scopeOf } from '../scope/scope.ts'
import type { TrendGroup, Trends } from './trend-contract.ts'
import { countFixes, countGroups, countStanding } from './trend-store.ts'

const mostRows = 200
const pointer = '/filters/timePeriod'

/** Whether it is getting better: the backlog at the end of each bucket, and how long fixing took. */
export function createTrendReport(db: Database, clock: Clock) {
  return async function trends(actor: Actor, filters: ReportFilters, by?: TrendGroup): Promise<Trends> {
    const now = clock.now()
    const period = readPeriod(filters.timePeriod, now, pointer, filters.wholeDays)
    const buckets = bucketsOf(period, filters.timeBucketSize, pointer)
    const reader = db.as(actor)
    const { wanted } = await scopeOf(reader, actor, filters)
    const moments = buckets.map(({ until }) => (until < now ? until : now))
    // Buckets that are still to come end now.
    const distinct = [...new Set(moments.map((at) => at.getTime()))]
    const rows = await countStanding(
      reader,
      wanted,
      distinct.map((time) => new Date(time)),
    )
    const standing = new Map(rows.map((row) => [distinct[row.point - 1], row]))
    const fixes = new Map((await countFixes(reader, wanted, buckets)).map((row) => [row.bucket, row]))
    const groups = by ? await countGroups(reader, wanted, { by, at: moments.at(-1)!, buckets }) : []
    return {
      points: moments.map((at) => {
        const row = standing.get(at.getTime())
        return { at: at.toISOString(), open: row?.open ?? 0, medianAgeSeconds: row?.median ?? 0 }
      }),
      fixes: buckets.map((bucket, index) => {
        const row = fixes.get(index + 1)
        return { timePeriod: shownPeriod(bucket), fixed: row?.fixed ?? 0, medianSecondsToFix: row?.median ?? 0 }
      }),
      rows: groups.slice(0, mostRows).map(({ key, name, open, age, fixed, median }) => ({
        key,
        name,
        open,
        medianAgeSeconds: age,
        fixed,
        medianSecondsToFix: median,
      })),
      moreRows: Math.max(0, groups.length - mostRows),
    }
  }
}
