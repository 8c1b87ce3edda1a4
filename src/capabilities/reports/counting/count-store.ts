import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { type Axis, type Part, wayTo } from './parts.ts'
import { idArray, selectFindings } from './selection.ts'
import { cutIntoSpans, type Signed, type Span } from './spans.ts'

/** A number of a report: which counter holds it, and which findings (`cell`) it counts. */
export type Figure<Name extends string> = { name: Name; counter: string; cells: readonly number[] }

/**
 * The numbers of a report. `counted` leaves out findings (`f`) that are in none of them, `kept` leaves out counters (`c`) that
 * hold none, in the words of their index.
 */
export type Figures<Name extends string> = { list: readonly Figure<Name>[]; counted: Sql; kept: Sql }

export type CountRow<Name extends string> = { bucket: number } & Record<Name, number>

/** What is asked for, apart from the part of it. */
type Question = {
  db: Queryable
  categories: readonly number[] | undefined
  buckets: readonly Period[]
  figures: Figures<string>
}

/**
 * The figures of each bucket that has any, numbered from 1: all parts in one statement, so that they are of one moment.
 * Counters of whole months and days, and findings where there is no counter: at the ragged ends, and where filters combine.
 */
export function count<Name extends string>(
  db: Queryable,
  parts: readonly Part[],
  categories: readonly number[] | undefined,
  buckets: readonly Period[],
  figures: Figures<Name>,
): Promise<CountRow<Name>[]> {
  return db.query(counted(db, parts, categories, buckets, figures))
}

/** The same as part of a statement. */
export function counted(
  db: Queryable,
  parts: readonly Part[],
  categories: readonly number[] | undefined,
  buckets: readonly Period[],
  figures: Figures<string>,
): Sql {
  const question = { db, categories, buckets, figures }
  const { spans, ragged } = cutIntoSpans(buckets)
  const period: Signed = { since: buckets[0]!.since, until: buckets.at(-1)!.until, sign: 1 }
  const addends = parts.flatMap((part) => {
    if (part.from === 'findings') return [fromFindings(question, part, [period])]
    return [
      ...(spans.length > 0 ? [fromCounters(question, part, spans)] : []),
      ...(ragged.length > 0 ? [fromFindings(question, part, ragged)] : []),
    ]
  })
  const sums = figures.list.map(({ name }) => sql`sum(${quoted(name)})::bigint as ${quoted(name)}`)
  return sql`select bucket, ${join(sums)} from (${join(addends, ' union all ')}) addend group by bucket`
}

function fromCounters({ db, categories, buckets, figures }: Question, part: Part, spans: readonly Span[]): Sql {
  const scope = (axis: Axis) => (part[axis] ? sql`= any(${idArray(db.deploymentId, axis, part[axis])})` : sql`= 0`)
  const category = categories ? sql`= any(${categories}::smallint[])` : sql`= -1`
  const sums = figures.list.map(({ name, counter }) => sql`sum(c.${raw(counter)}) as ${quoted(name)}`)
  const signed = figures.list.map(({ name }) => sql`${signOf(part)}span.sign * c.${quoted(name)} as ${quoted(name)}`)
  // By their start, which is cheaper to compare than to tell the bucket of.
  const [start, byStart] = buckets.length === 1 ? [empty, empty] : [sql`c.starts_at, `, sql`group by c.starts_at`]
  return sql`select ${bucketOf(buckets, sql`c.starts_at`)} as bucket, ${join(signed)}
    from unnest(${spans.map((span) => span.grain)}::"char"[], ${spans.map((span) => span.since)}::timestamptz[],
      ${spans.map((span) => span.until)}::timestamptz[], ${spans.map((span) => span.sign)}::integer[])
      as span (grain, since, until, sign)
    cross join lateral (
      select ${start}${join(sums)} from finding_count c
      where c.deployment_id = ${db.deploymentId} and c.repository_id ${scope('repositories')} and c.rule_id ${scope('rules')}
        and c.category ${category} and c.grain = span.grain and c.starts_at >= span.since and c.starts_at < span.until
        and ${figures.kept}
      ${byStart}) c`
}

function fromFindings({ db, categories, buckets, figures }: Question, part: Part, periods: readonly Signed[]): Sql {
  const columns = sql`${bucketOf(buckets, sql`f.raised_at`)} as bucket, f.cell, span.sign`
  const conditions = sql`and ${figures.counted}`
  const selection = { ...part, categories, by: wayTo(part, periods) }
  const findings = selectFindings(db.deploymentId, selection, periods, columns, { conditions })
  const sums = figures.list.map(
    ({ name, cells }) =>
      sql`${signOf(part)}coalesce(sum(number) filter (where cell = any(${cells}::smallint[])), 0) as ${quoted(name)}`,
  )
  return sql`select bucket, ${join(sums)} from (
      select bucket, cell, sum(sign) as number from (${findings}) f group by bucket, cell) kind
    group by bucket`
}

/** What begins before the first bucket is taken from it. */
export function bucketOf(buckets: readonly Period[], at: Sql): Sql {
  if (buckets.length === 1) return sql`1`
  return sql`greatest(width_bucket(${at}, ${buckets.map((bucket) => bucket.since)}::timestamptz[]), 1)`
}

function signOf({ sign }: Part): Sql {
  return sign === 1 ? empty : sql`-`
}

export function quoted(name: string): Sql {
  return raw(`"${name}"`)
}
