import sql, { join, raw, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import { severities } from '../../../domain/severity.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { daysByBucket, readDays } from '../counting/day-store.ts'
import { funnelFigures } from '../counting/figures.ts'
import { type CountedSet, wayAmong } from '../counting/parts.ts'
import { selectFindings } from '../counting/selection.ts'
import { cutIntoSpans, type Signed } from '../counting/spans.ts'
import { among } from '../lists/list-store.ts'

/** Of each rule and product (as in a cell), and again of each severity. */
export type BacklogRow = { count: number } & (
  | { product: number; rule: string; severity: null }
  | { product: null; rule: null; severity: number }
)

/** All that is counted is: said as the index of those says it, for a way that no index of the counted leads. */
const onBranch = sql`f.pull_request = 0 and f.state <= ${stateIs.provisionallyIgnored}`
const isStanding = sql`${onBranch} and ${funnelFigures.counted}`

export async function countBacklog(db: Queryable, wanted: CountedSet, period: Period): Promise<BacklogRow[]> {
  if (!isEverything(wanted)) return db.query(readBacklog(db, wanted, period))
  const rows = await readDays<BacklogRow>(db, countedBacklog(db, period, countedBySeverity(db, period)))
  return rows ?? db.query(countedBacklog(db, period, readBySeverity(db, period)))
}

const columns = sql`select kind.product, rule.external_id as rule, null::smallint as severity, sum(kind.count)::bigint as count`
const named = (
  db: Queryable,
) => sql`join finding_rule rule on rule.deployment_id = ${db.deploymentId} and rule.id = kind.rule_id
  group by kind.product, rule.external_id having sum(kind.count) > 0`

function countedBacklog(db: Queryable, period: Period, bySeverity: Sql): Sql {
  return sql`${columns} from (${countedByRule(db, period)}) kind ${named(db)}
    union all
    select null, null, graded.severity, graded.count from (${bySeverity}) graded`
}

function readBacklog(db: Queryable, wanted: CountedSet, period: Period): Sql {
  return sql`with kind as materialized (
      select f.product, f.severity, f.rule_id, count(*) as count
      from (${standing(db, wanted, [period], sql`(f.cell >> 3) & 3 as product, f.severity, f.rule_id`)}) f
      group by f.product, f.severity, f.rule_id)
    ${columns} from (select product, rule_id, sum(count) as count from kind group by product, rule_id) kind ${named(db)}
    union all
    select null, null, kind.severity, sum(kind.count)::bigint from kind group by kind.severity`
}

const grades = severities.map((_, at) => at + 1)
/** In the order of severities, as days have them. */
const dayColumns = ['info', 'low', 'medium', 'high', 'critical']

/** By the days on which they were raised, and by the findings at the ragged ends. */
function countedBySeverity(db: Queryable, period: Period): Sql {
  const { spans, ragged } = cutIntoSpans([period])
  const parts = [
    ...(spans.length > 0
      ? [
          sql`select graded.severity, graded.count
            from (${daysByBucket(db, undefined, { spans, buckets: [period], columns: dayColumns })}) c
            cross join lateral (values ${join(dayColumns.map((name, at) => sql`(${grades[at]!}::smallint, c.${raw(name)})`))})
              as graded (severity, count)`,
        ]
      : []),
    ...(ragged.length > 0 ? [standing(db, everything, ragged, sql`f.severity, span.sign`)] : []),
  ]
  return sql`select severity, sum(count)::bigint as count from (${join(parts, ' union all ')}) part (severity, count)
    group by severity having sum(count) > 0`
}

/** By all that stand. */
function readBySeverity(db: Queryable, period: Period): Sql {
  return sql`select graded.severity, count(*) as count from unnest(${grades}::smallint[]) as graded (severity)
    cross join lateral (select from finding f where f.deployment_id = ${db.deploymentId} and ${isStanding}
      and f.severity = graded.severity and f.raised_at >= ${period.since} and f.raised_at < ${period.until} offset 0) f
    group by graded.severity`
}

/** By the counters of each rule, and by the findings at the ragged ends. */
function countedByRule(db: Queryable, period: Period): Sql {
  const { spans, ragged } = cutIntoSpans([period])
  const counters = sql`select counted.product, rule.id as rule_id, counted.count
    from finding_rule rule cross join unnest(${spans.map((span) => span.grain)}::"char"[],
      ${spans.map((span) => span.since)}::timestamptz[], ${spans.map((span) => span.until)}::timestamptz[],
      ${spans.map((span) => span.sign)}::integer[]) as span (grain, since, until, sign)
    cross join lateral (
      select sum(c.code_standing) as code, sum(c.sca_standing) as sca, sum(c.secrets_standing) as secrets from finding_count c
      where c.deployment_id = ${db.deploymentId} and c.repository_id = 0 and c.rule_id = rule.id and c.category = -1
        and c.grain = span.grain and c.starts_at >= span.since and c.starts_at < span.until and ${funnelFigures.kept}) c
    cross join lateral (values (0, span.sign * c.code), (1, span.sign * c.sca), (2, span.sign * c.secrets))
      as counted (product, count)
    where rule.deployment_id = ${db.deploymentId} and counted.count <> 0`
  if (ragged.length === 0) return counters
  const read = standing(db, everything, ragged, sql`(f.cell >> 3) & 3 as product, f.rule_id, span.sign as count`)
  return spans.length === 0 ? read : sql`${counters} union all ${read}`
}

/** When the one in the middle was raised; where two are, both. */
export async function findMiddle(db: Queryable, wanted: CountedSet, period: Period, total: number): Promise<Date[]> {
  const days = isEverything(wanted) ? wholeDays(period) : undefined
  const statement = days
    ? middleByDays(db, period, days)
    : sql`select f.raised_at from (${standing(db, wanted, [period], sql`f.raised_at`)}) f order by f.raised_at
        offset ${Math.floor((total - 1) / 2)} limit ${total % 2 === 1 ? 1 : 2}`
  const rows = await db.query<{ raised_at: Date }>(statement)
  return rows.map((row) => row.raised_at)
}

/** Counters tell on which day it is, and only the findings of that day are looked at. */
function middleByDays(db: Queryable, period: Period, days: Period): Sql {
  const { deploymentId } = db
  const ends = [
    { since: period.since, until: days.since },
    { since: days.until, until: period.until },
  ]
  return sql`with piece as (
      select c.starts_at as since, c.starts_at + interval '24 hours' as until,
        sum(c.code_standing + c.sca_standing + c.secrets_standing) as count
      from finding_count c where c.deployment_id = ${deploymentId} and c.repository_id = 0 and c.rule_id = 0 and c.category = -1
        and c.grain = 'd' and c.starts_at >= ${days.since} and c.starts_at < ${days.until} and ${funnelFigures.kept}
      group by c.starts_at
      union all
      select f.since, f.until, count(*) from (${standing(db, everything, ends, sql`span.since, span.until`)}) f group by 1, 2
    ), placed as (
      select since, until, count, sum(count) over (order by since) as up_to, sum(count) over () as total from piece
    ), middle as (
      select min(since) as since, max(until) as until, div(min(total) - 1, 2) - min(up_to - count) as passed, min(total) as total
      from placed where up_to > div(total - 1, 2) and up_to - count <= div(total, 2) and count > 0
    )
    select f.raised_at from middle cross join lateral (
      select f.raised_at from finding f where f.deployment_id = ${deploymentId} and ${isStanding}
        and f.raised_at >= middle.since and f.raised_at < middle.until order by f.raised_at
      offset middle.passed limit 2 - middle.total % 2) f`
}

const dayMs = 86_400_000
const everything: CountedSet = { repositories: undefined, rules: undefined, categories: undefined }

function isEverything({ repositories, rules, categories }: CountedSet): boolean {
  return !repositories && !rules && !categories
}

/** Days in UTC, as counters have them. */
function wholeDays({ since, until }: Period): Period | undefined {
  const first = new Date(Math.ceil(since.getTime() / dayMs) * dayMs)
  const end = new Date(Math.floor(until.getTime() / dayMs) * dayMs)
  return first < end ? { since: first, until: end } : undefined
}

function standing(
  db: Queryable,
  wanted: CountedSet,
  periods: readonly (Period & Partial<Signed>)[],
  columns: Sql,
): Sql {
  const by = wayAmong(wanted, periods)
  const selection = { ...among(wanted), categories: wanted.categories, by }
  const conditions = sql`and ${by === 'time' ? onBranch : sql`true`} and ${funnelFigures.counted}`
  return selectFindings(db.deploymentId, selection, periods, columns, { conditions })
}
