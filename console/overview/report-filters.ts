import { type Pair, valuesOf } from '../app/address/address.ts'
import { type Period, readPeriod, timePeriodOf } from '../app/address/period.ts'

/** What an overview or report is about: period, repositories, teams and tags, all of them in the address. */
export function reportFilters(pairs: readonly Pair[], now: Date) {
  const period: Period = readPeriod(pairs, now)
  const several = (name: string, wire: string) => {
    const values = valuesOf(pairs, name).filter(Boolean)
    return values.length > 0 ? { [wire]: values } : {}
  }
  const filters = {
    timePeriod: timePeriodOf(period),
    ...several('repo', 'projects'),
    ...several('team', 'teams'),
    ...several('tag', 'tags'),
  }
  const more = pairs.filter(([name]) => ['repo', 'team', 'tag'].includes(name))
  return { period: { ...period, more }, filters }
}
