import sql, { empty, type Sql } from 'sql-template-tag'
import { type CounterPlan, countersFor } from './counter-plan.ts'
import type { Axis } from './parts.ts'
import type { Rollup } from './rollups.ts'
import { idArray } from './selection.ts'

/** What a report selects of sheets: entries of a month. */
export type RollupRow = { first: number; entries: string }

/** Rows that a month comes in: thousands of small ones take as long to tell apart as to count, a few huge ones to gather. */
const bundles = 16

/** Of sheets, which are read as fast as one counter. */
const bytesPerCounter = 96

/** Columns of a `RollupRow` after those given. */
export function selectRollups(deploymentId: number, cut: CounterPlan, columns: Sql): Sql {
  return sql`select ${columns}, s.month - date '1970-01-01' as first,
      encode(string_agg(s.entries, ''::bytea), 'base64') as entries
    from finding_sheet s where ${areFor(deploymentId, cut)} ${cut.counters ? sql`and ${rollupsAreLess}` : empty}
    group by s.month, (s.repository_id + s.rule_id) % ${bundles}`
}

export function readRollup({ first, entries }: RollupRow): Rollup {
  return { first, entries: Buffer.from(entries, 'base64') }
}

/** For the one part of a report that has both counters and sheets. */
export function choose(deploymentId: number, cuts: readonly CounterPlan[]): Sql {
  const either = cuts.find(({ counters, sheets }) => counters && sheets)
  if (!either) return empty
  const bytes = bytesPerCounter * countersFor(either.part, either.spans)
  return sql`with choice as materialized (
    select coalesce(sum(octet_length(s.entries)), 0) <= ${bytes}::bigint as sheets_are_less
    from finding_sheet s where ${areFor(deploymentId, either)})`
}

export const rollupsAreLess: Sql = sql`(select sheets_are_less from choice)`

function areFor(deploymentId: number, { part, spans, sheets }: CounterPlan): Sql {
  const scope = (axis: Axis) => (sheets === axis ? sql`= any(${idArray(deploymentId, axis, part[axis]!)})` : sql`= 0`)
  return sql`s.deployment_id = ${deploymentId} and s.repository_id ${scope('repositories')} and s.rule_id ${scope('rules')}
    and s.month >= date_trunc('month', ${spans[0]!.since}::timestamptz at time zone 'UTC')::date
    and s.month < (${spans.at(-1)!.until}::timestamptz at time zone 'UTC')::date`
}
