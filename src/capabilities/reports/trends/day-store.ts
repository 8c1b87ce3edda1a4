import sql, { empty, join, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { firstState, stoodMore } from '../../findings/public.ts'
import { bucketOf } from '../counting/count-store.ts'
import { daysByBucket, readDays, spanRows } from '../counting/day-store.ts'
import { cutIntoSpans, type Signed, type Span } from '../counting/spans.ts'
import type { TrendGroup } from './trend-contract.ts'
import { groupsOf } from './trend-store.ts'

type Repositories = readonly number[] | undefined

const dayMs = 86_400_000
/** The start of a month, before every finding. */
const beginning = new Date(0)
const always = { grain: 'm' as const, since: beginning, until: new Date(Date.UTC(9999, 0)), sign: 1 as const }

/** How many findings there ever were, those of pull requests included; undefined while days are due. */
export async function countEver(db: Queryable, repositories: Repositories): Promise<number | undefined> {
  const opened = daysByBucket(db, repositories, { spans: [always], buckets: [always], columns: ['opened'] })
  const rows = await readDays<{ opened: number | null }>(
    db,
    sql`select sum(opened)::bigint as opened from (${opened}) c`,
  )
  return rows && (rows[0]?.opened ?? 0)
}

export type StandingRow = { open: number; ever: number }

/** How many stood at each moment, in their order, and how many were raised up to the end of its day, those of pull requests included. */
export async function countStandingByDays(
  db: Queryable,
  repositories: Repositories,
  moments: readonly Date[],
): Promise<StandingRow[] | undefined> {
  const days = moments.map(dayOf)
  const periods = days.map(({ until }, at) => ({ since: days[at - 1]?.until ?? beginning, until }))
  const counted = daysByBucket(db, repositories, {
    spans: cutIntoSpans(periods).spans,
    buckets: periods,
    columns: ['stood', 'opened'],
  })
  const rows = await readDays<{ point: number; stood: number; opened: number; rest: number }>(
    db,
    sql`select point, sum(stood)::bigint as stood, sum(opened)::bigint as opened, sum(rest)::bigint as rest from (
        select bucket as point, stood, opened, 0 as rest from (${counted}) c
        union all
        select point, 0, 0, change from (${stoodWithin(
          db,
          repositories,
          days.map(({ rest }) => rest),
        )}) rest) part
      group by point`,
  )
  if (!rows) return undefined
  const byPoint = new Map(rows.map((row) => [row.point, row]))
  const sums = { stood: 0, ever: 0 }
  return moments.map((_, at) => {
    const row = byPoint.get(at + 1)
    sums.stood += row?.stood ?? 0
    sums.ever += row?.opened ?? 0
    return { open: sums.stood + (row?.rest ?? 0), ever: sums.ever }
  })
}

/** Up to which day a moment is counted, and what is too much or too little then. A moment has what happened in its millisecond. */
function dayOf(moment: Date): { until: Date; rest: Signed } {
  const at = moment.getTime()
  const start = Math.floor(at / dayMs) * dayMs
  const until = new Date(start === at ? at : start + dayMs)
  const next = new Date(at + 1)
  return start === at
    ? { until, rest: { since: moment, until: next, sign: 1 } }
    : { until, rest: { since: next, until, sign: -1 } }
}

/**
 * By how many more stand after each piece (`point`) of a day, and in which repository, by findings and their history. Each finding is
 * looked up: a plan that is kept is made for a deployment of average size, and would read all findings of a large one.
 */
function stoodWithin({ deploymentId }: Queryable, repositories: Repositories, pieces: readonly Signed[]): Sql {
  const piece = sql`unnest(${pieces.map((each) => each.since)}::timestamptz[], ${pieces.map((each) => each.until)}::timestamptz[],
    ${pieces.map((each) => each.sign)}::integer[]) with ordinality as piece (since, until, sign, point)`
  const counts = sql`f.pull_request = 0 and not f.duplicate ${isOneOf(repositories)}`
  return sql`select piece.point, f.repository_id, piece.sign as change from ${piece}
    cross join lateral (select f.repository_id from finding f where f.deployment_id = ${deploymentId}
      and f.raised_at >= piece.since and f.raised_at < piece.until and ${counts}
      and ${firstState(deploymentId)} <= ${stateIs.provisionallyIgnored} offset 0) f
    union all
    select piece.point, h.repository_id, piece.sign * h.change from ${piece}
    cross join lateral (select f.repository_id, ${stoodMore} as change from finding_history h
      cross join lateral (select f.repository_id from finding f
        where f.deployment_id = ${deploymentId} and f.id = h.finding_id and ${counts} offset 0) f
      where h.deployment_id = ${deploymentId} and h.at >= piece.since and h.at < piece.until and ${stoodMore} <> 0 offset 0) h`
}

function isOneOf(repositories: Repositories): Sql {
  if (!repositories) return empty
  return sql`and (f.repository_id in (select given.id from unnest(${repositories}::bigint[]) as given (id))) is true`
}

/** What is fixed, by the bucket in which it became so, numbered from 1. */
export function countFixesByDays(
  db: Queryable,
  repositories: Repositories,
  buckets: readonly Period[],
): Promise<{ bucket: number; fixed: number }[] | undefined> {
  const { spans, ragged } = cutIntoSpans(buckets)
  const parts = [
    ...(spans.length > 0 ? [daysByBucket(db, repositories, { spans, buckets, columns: ['fixed'] })] : []),
    ...(ragged.length > 0
      ? [
          sql`select ${bucketOf(buckets, sql`f.fixed_at`)} as bucket, f.sign from (${fixedWithin(db, repositories, ragged)}) f`,
        ]
      : []),
  ]
  return readDays(
    db,
    sql`select bucket, sum(fixed)::bigint as fixed from (${join(parts, ' union all ')}) part (bucket, fixed)
    group by bucket`,
  )
}

/** Along the index of states, which have changed when they were fixed. */
function fixedWithin({ deploymentId }: Queryable, repositories: Repositories, pieces: readonly Signed[]): Sql {
  return sql`select f.repository_id, f.fixed_at, piece.sign from unnest(${pieces.map((each) => each.since)}::timestamptz[],
      ${pieces.map((each) => each.until)}::timestamptz[], ${pieces.map((each) => each.sign)}::integer[]) as piece (since, until, sign)
    cross join lateral (select f.repository_id, f.fixed_at from finding f
      where f.deployment_id = ${deploymentId} and f.state = ${stateIs.fixed} and f.state_at >= piece.since and f.state_at < piece.until
        and f.fixed_at >= piece.since and f.fixed_at < piece.until and f.pull_request = 0 and not f.duplicate
        ${isOneOf(repositories)} offset 0) f`
}

export type CountedGroup = {
  key: string
  name: string
  repositories: string[]
  findings: number
  open: number
  fixed: number
}

/** Both for each repository, team or tag that has any of it, with its repositories and how many findings those ever had. */
export function countGroupsByDays(
  db: Queryable,
  repositories: Repositories,
  { by, at, buckets }: { by: TrendGroup; at: Date; buckets: readonly Period[] },
): Promise<CountedGroup[] | undefined> {
  const day = dayOf(at)
  const stood = cutIntoSpans([{ since: beginning, until: day.until }]).spans
  const fixed = cutIntoSpans([{ since: buckets[0]!.since, until: buckets.at(-1)!.until }])
  const scope = repositories ? sql`= any(${repositories}::bigint[])` : sql`> 0`
  const days = sql`finding_day c where c.deployment_id = ${db.deploymentId} and c.repository_id ${scope}`
  const singleDays = (spans: readonly Span[], columns: Sql) => sql`select c.repository_id, ${columns}
    from ${spanRows(spans.filter((span) => span.grain === 'd'))} cross join lateral (
      select c.repository_id, c.stood, c.fixed from ${days} and c.grain = 'd' and c.starts_at >= span.since and c.starts_at < span.until
      offset 0) c`
  return readDays(
    db,
    sql`with part as (
        select c.repository_id, c.opened as findings, case when ${inMonths(stood)} then c.stood else 0 end as open,
          case when ${inMonths(fixed.spans)} then c.fixed else 0 end as fixed
        from ${days} and c.grain = 'm'
        union all ${singleDays(stood, sql`0, span.sign * c.stood, 0`)}
        union all select repository_id, 0, change, 0 from (${stoodWithin(db, repositories, [day.rest])}) rest
        union all ${singleDays(fixed.spans, sql`0, 0, span.sign * c.fixed`)}
        ${
          fixed.ragged.length > 0
            ? sql`union all select repository_id, 0, 0, sign from (${fixedWithin(db, repositories, fixed.ragged)}) fixes`
            : empty
        }
      ), own as materialized (
        select repository_id, sum(findings) as findings, sum(open) as open, sum(fixed) as fixed from part group by repository_id
      )
      select g.key, g.name, array_agg(g.repository_id) as repositories, sum(own.findings)::bigint as findings,
        sum(own.open)::bigint as open, sum(own.fixed)::bigint as fixed
      from (${groupsOf(db, by, repositories)}) g join own on own.repository_id = g.repository_id
      group by g.id, g.key, g.name having sum(own.open) > 0 or sum(own.fixed) > 0
      order by open desc, fixed desc, g.key`,
  )
}

/** Of a period there is one run of months, or none. */
function inMonths(spans: readonly Span[]): Sql {
  const months = spans.find((span) => span.grain === 'm')
  return months ? sql`c.starts_at >= ${months.since} and c.starts_at < ${months.until}` : sql`false`
}
