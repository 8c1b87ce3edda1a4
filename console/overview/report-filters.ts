import type { Body } from '../api/contracts.ts'
import { firstOf, type Pair, valuesOf } from '../app/address/address.ts'
import { type Period, readPeriod, timePeriodOf } from '../app/address/period.ts'

type ReportFilters = NonNullable<Body<'reportTrends'>['filters']>

/** What an overview or report is about: period, repositories, teams and tags, all of them in the address. */
export function reportFilters(pairs: readonly Pair[], now: Date) {
  const period: Period = readPeriod(pairs, now)
  const several = (name: string, wire: string) => {
    const values = valuesOf(pairs, name).filter(Boolean)
    return values.length > 0 ? { [wire]: values } : {}
  }
  const archived = firstOf(pairs, 'archived')
  const filters: ReportFilters = {
    timePeriod: timePeriodOf(period),
    ...several('repo', 'projects'),
    ...several('team', 'teams'),
    ...several('tag', 'tags'),
    ...(archived === 'yes' || archived === 'no' ? { archived: archived === 'yes' } : {}),
  }
  const more = pairs.filter(([name]) => ['repo', 'team', 'tag', 'archived'].includes(name))
  return { period: { ...period, more }, filters }
}

/** What is left to do, which is not in archived repositories unless they or one of them is asked for. */
export function overviewFilters(pairs: readonly Pair[], now: Date) {
  const isNamed = [...valuesOf(pairs, 'repo'), ...valuesOf(pairs, 'archived')].some(Boolean)
  return reportFilters(isNamed ? pairs : [...pairs, ['archived', 'no']], now)
}
