import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../../kernel/database/database.ts'

/** The largest first. */
const spanGrains = ['m', 'd', 'h'] as const
export type SpanGrain = (typeof spanGrains)[number]

/** All of time where an end is not given. `spansUntil` is where the last span may end at most. */
type SpanPeriod = { since?: Date | undefined; until?: Date | undefined; spansUntil?: Date | undefined }

/**
 * Relation `piece`, for the rest of a statement: a period as few spans that are added up and count, the largest that fit, and what
 * is left between them, whose `grain` is null. In one statement with what reads them, so all of it is of one moment.
 */
export function piecesOf(db: Queryable, { since, until, spansUntil = until }: SpanPeriod): Sql {
  const ends = spansUntil ? sql`and span.until <= ${spansUntil}` : empty
  const [from, to] = [since ?? '-infinity', until ?? 'infinity']
  const levels = spanGrains.map((grain, at) => {
    const [spans, gaps, before] = [
      raw(`spans_${grain}`),
      raw(`gaps_${grain}`),
      raw(`gaps_${spanGrains[at - 1] ?? 'all'}`),
    ]
    const chosen = spanGrains.slice(0, at + 1).map((each) => raw(`select start, until from spans_${each}`))
    return sql`${spans} as materialized (
        select span.* from ${before} gap cross join lateral (
          select span.grain, span.start, span.until from firewall_refusal_span span cross join forgotten
          where span.deployment_id = ${db.deploymentId} and span.grain = ${raw(`'${grain}'`)}
            and span.start >= gap.start and span.start < gap.until and span.until <= gap.until ${ends}
            and ${counts(db)} offset 0) span),
      ${gaps} as materialized (
        select start, until from (
          select coalesce(lag(until) over (order by start), ${from}) as start, start as until from (
            ${join(chosen, ' union all ')} union all select ${to}::timestamptz, null) cut) between_spans
        where start < until)`
  })
  return sql`${forgottenOf(db)},
    gaps_all as materialized (select ${from}::timestamptz as start, ${to}::timestamptz as until),
    ${join(levels, ', ')},
    piece as materialized (
      ${join(
        spanGrains.map((grain) => raw(`select grain, start, until from spans_${grain}`)),
        ' union all ',
      )}
      union all select null, start, until from gaps_h)`
}

/** Relation `forgotten`: before when only days are kept, and before when nobody knows whom refusals concerned. */
export function forgottenOf({ deploymentId }: Queryable): Sql {
  return sql`forgotten as materialized (
    select coalesce(max(kept_by_day_before), '-infinity') as details_before,
      coalesce(max(refused_unknown_before), '-infinity') as people_before
    from firewall_deployment where deployment_id = ${deploymentId})`
}

/** Whether `span` still tells what there is: nothing was recorded in it since, and nothing of it was forgotten. */
function counts({ deploymentId }: Queryable): Sql {
  return sql`span.start >= forgotten.details_before and span.unknown_before = ${unknownBefore(sql`span.start`, sql`span.until`)}
    and span.requests = (select sum(activity.allowed + activity.blocked) from firewall_activity activity
      where activity.deployment_id = ${deploymentId} and activity.grain = span.grain and activity.start = span.start)`
}

/** What `unknown_before` of a span is now. */
export function unknownBefore(start: Sql, until: Sql): Sql {
  return sql`least(greatest(forgotten.people_before, ${start}), ${until})`
}
