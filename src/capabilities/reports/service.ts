import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { bucketsOf, type Period, readPeriod, shownPeriod } from '../../kernel/time/time-buckets.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { countByDays, countHappened, countOpened } from './activity-store.ts'
import { createBacklogReport } from './backlog/backlog.ts'
import type { Activity, Funnel, GuardrailsActivity } from './contract.ts'
import { openedStandings, type Product, productNames, type Stage, shownStandings, stageNames } from './counting/cell.ts'
import { count } from './counting/count-store.ts'
import { knownByDays } from './counting/day-store.ts'
import { funnelFigures, guardrailsFigures } from './counting/figures.ts'
import { partsFor } from './counting/parts.ts'
import { createFindingLists } from './lists/finding-lists.ts'
import type { ReportFilters } from './scope/filters.ts'
import { scopeOf } from './scope/scope.ts'
import { createTrendReport } from './trends/trends.ts'

export type ReportService = ReturnType<typeof createReportService>

const pointer = '/filters/timePeriod'
const activityNames = ['opened', 'fixed', 'reopened', 'ignored', 'provisionallyIgnored'] as const

export function createReportService({ db, clock, cursors }: { db: Database; clock: Clock; cursors: CursorSeal }) {
  async function guardrailsActivity(actor: Actor, filters: ReportFilters): Promise<GuardrailsActivity> {
    const periods = bucketsFor(filters)
    const { wanted, extent } = await scopeOf(db.as(actor), actor, filters)
    const parts = partsFor(wanted, extent)
    const rows = await count(db.as(actor), parts, wanted.categories, periods, guardrailsFigures)
    const buckets = fill(periods, rows, shownStandings)
    const totalFixed = sum(buckets.map((bucket) => bucket.fixed))
    const totalOpened = sum(rows.flatMap((row) => openedStandings.map((name) => row[name])))
    return { buckets, totalFixed, totalOpened }
  }

  async function funnel(actor: Actor, filters: ReportFilters): Promise<Funnel> {
    const period = readPeriod(filters.timePeriod, clock.now(), pointer, filters.wholeDays)
    const { wanted, extent } = await scopeOf(db.as(actor), actor, filters)
    const parts = partsFor(wanted, extent)
    const [row] = await count(db.as(actor), parts, wanted.categories, [period], funnelFigures)
    const at = (product: Product, stage: Stage) => row?.[`${product} ${stage}`] ?? 0
    const byProduct = toObject(productNames, (product) => toObject(stageNames, (stage) => at(product, stage)))
    const whole = toObject(stageNames, (stage) => sum(productNames.map((product) => at(product, stage))))
    return { ...whole, byProduct }
  }

  async function activity(actor: Actor, filters: ReportFilters, once = false): Promise<Activity> {
    const periods = bucketsFor(filters)
    const { wanted, extent } = await scopeOf(db.as(actor), actor, filters)
    const byDays = knownByDays(wanted) ? await countByDays(db.as(actor), wanted, periods, once) : undefined
    if (byDays) return { buckets: fill(periods, byDays, activityNames) }
    const [raised, happened] = await Promise.all([
      countOpened(db.as(actor), wanted, partsFor(wanted, extent), periods),
      countHappened(db.as(actor), wanted, periods, once),
    ])
    const opened = fill(periods, raised, ['opened'])
    const buckets = fill(periods, happened, ['fixed', 'reopened', 'ignored', 'provisionallyIgnored'])
    return { buckets: buckets.map((bucket, at) => ({ ...opened[at]!, ...bucket })) }
  }

  function bucketsFor(filters: ReportFilters): Period[] {
    const period = readPeriod(filters.timePeriod, clock.now(), pointer, filters.wholeDays)
    return bucketsOf(period, filters.timeBucketSize, pointer)
  }

  const backlog = createBacklogReport(db, clock)
  const trends = createTrendReport(db, clock)
  return { guardrailsActivity, funnel, activity, backlog, trends, ...createFindingLists(db, cursors, clock) }
}

/** A bucket for each period, with zeros where no row tells otherwise; rows number the periods from 1. */
function fill<Name extends string>(
  periods: readonly Period[],
  rows: readonly ({ bucket: number } & Record<Name, number>)[],
  names: readonly Name[],
) {
  const byBucket = new Map(rows.map((row) => [row.bucket, row]))
  return periods.map((period, at) => ({
    timePeriod: shownPeriod(period),
    ...toObject(names, (name) => byBucket.get(at + 1)?.[name] ?? 0),
  }))
}

function toObject<Name extends string, Value>(names: readonly Name[], of: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
