import { severities } from '../../../domain/severity.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { readPeriod } from '../../../kernel/time/time-buckets.ts'
import type { Backlog } from '../contract.ts'
import { productNames } from '../counting/cell.ts'
import type { ReportFilters } from '../scope/filters.ts'
import { scopeOf } from '../scope/scope.ts'
import { countBacklog, findMiddle } from './backlog-store.ts'

const mostRules = 100

/** What is still to be done: the findings that the funnel starts with, broken down. */
export function createBacklogReport(db: Database, clock: Clock) {
  return async function backlog(actor: Actor, filters: ReportFilters): Promise<Backlog> {
    const now = clock.now()
    const period = readPeriod(filters.timePeriod, now, '/filters/timePeriod', filters.wholeDays)
    const { wanted } = await scopeOf(db.as(actor), actor, filters)
    const result: Backlog = {
      total: 0,
      byProduct: { code: 0, sca: 0, secrets: 0 },
      bySeverity: {
        SEVERITY_INFO: 0,
        SEVERITY_LOW: 0,
        SEVERITY_MEDIUM: 0,
        SEVERITY_HIGH: 0,
        SEVERITY_CRITICAL: 0,
      },
      byRule: [],
      otherRules: 0,
      medianOpenAgeSeconds: 0,
    }
    const rules = new Map<string, number>()
    for (const row of await countBacklog(db.as(actor), wanted, period)) {
      if (row.severity !== null) {
        result.bySeverity[severities[row.severity - 1]!] += row.count
        continue
      }
      result.total += row.count
      result.byProduct[productNames[row.product]!] += row.count
      rules.set(row.rule, (rules.get(row.rule) ?? 0) + row.count)
    }
    if (result.total === 0) return result
    const ranked = [...rules].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    result.byRule = ranked.slice(0, mostRules).map(([ruleId, count]) => ({ ruleId, count }))
    for (const [, count] of ranked.slice(mostRules)) result.otherRules += count
    const middle = await findMiddle(db.as(actor), wanted, period, result.total)
    result.medianOpenAgeSeconds = ageInSeconds(middle, now)
    return result
  }
}

function ageInSeconds(raised: readonly Date[], now: Date): number {
  if (raised.length === 0) return 0
  const mean = raised.reduce((sum, each) => sum + each.getTime(), 0) / raised.length
  return Math.max(0, Math.floor((now.getTime() - mean) / 1000))
}
