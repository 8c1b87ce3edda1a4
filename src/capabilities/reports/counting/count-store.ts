import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { type CounterPlan, planCounters } from './counter-plan.ts'
import type { Axis, Part } from './parts.ts'
import { choose, readRollup, rollupsAreLess, selectRollups } from './rollup-store.ts'
import { createTally, type Rollup } from './rollups.ts'
import { idArray, selectFindings } from './selection.ts'
import type { Signed } from './spans.ts'

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

/** The sums of a bucket, or entries of a month for the part that `bucket` numbers. */
type Row = { bucket: number; first: number; entries: string | null } & Record<string, number>

/**
 * The figures of each bucket that has any, numbered from 1: all parts in one statement, so that they are of one moment.
 * Counters of whole hours, days, weeks and months, or sheets of whole days; the ragged ends from the findings.
 */
export async function count<Name extends string>(
  db: Queryable,
  parts: readonly Part[],
  categories: readonly number[] | undefined,
  buckets: readonly Period[],
  figures: Figures<Name>,
): Promise<CountRow<Name>[]> {
  const question = { db, categories, buckets, figures }
  const cuts = parts.map((part) => planCounters(part, categories, buckets))
  const selects = [...sumsOf(question, cuts), ...sheetsOf(question, cuts)]
  const rows = await db.query<Row>(sql`${choose(db.deploymentId, cuts)} ${join(selects, ' union all ')}`)
  const sums = rows.filter((row) => row.entries === null) as CountRow<Name>[]
  if (sums.length === rows.length) return sums
  const tally = createTally(buckets)
  for (const [at, { part, spans, sheets }] of cuts.entries()) {
    const others = sheets === 'rules' ? part.repositories?.ids : part.rules?.ids
    tally.add(sheetsIn(rows, at), { others, categories, days: spans }, part.sign)
  }
  return buckets.map((_, at) => {
    const row = sums.find(({ bucket }) => bucket === at + 1)
    const pairs = figures.list.map(({ name, cells }) => [name, (row?.[name] ?? 0) + tally.sum(at, cells)])
    return { bucket: at + 1, ...Object.fromEntries(pairs) }
  })
}

function* sheetsIn(rows: readonly Row[], part: number): Generator<Rollup> {
  for (const { bucket, first, entries } of rows) {
    if (entries !== null && bucket === part) yield readRollup({ first, entries })
  }
}

/** What counters and findings say, if they are asked at all. */
function sumsOf(question: Question, cuts: readonly CounterPlan[]): Sql[] {
  const addends = cuts.flatMap((each) => [
    ...(each.counters ? [fromCounters(question, each)] : []),
    ...(each.ragged.length > 0 ? [fromFindings(question, each.part, each.ragged)] : []),
  ])
  if (addends.length === 0) return []
  const sums = question.figures.list.map(({ name }) => sql`sum(${quoted(name)})::bigint as ${quoted(name)}`)
  return [
    sql`select bucket, ${join(sums)}, null::integer as first, null::text as entries
      from (${join(addends, ' union all ')}) addend group by bucket`,
  ]
}

function fromCounters({ db, categories, buckets, figures }: Question, { part, spans, sheets }: CounterPlan): Sql {
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
        and ${figures.kept} ${sheets ? sql`and not ${rollupsAreLess}` : empty}
      ${byStart}) c`
}

function fromFindings({ db, categories, buckets, figures }: Question, part: Part, periods: readonly Signed[]): Sql {
  const columns = sql`${bucketOf(buckets, sql`f.raised_at`)} as bucket, f.cell, span.sign`
  const conditions = sql`and ${figures.counted}`
  const findings = selectFindings(db.deploymentId, { ...part, categories }, periods, columns, { conditions })
  const sums = figures.list.map(
    ({ name, cells }) =>
      sql`${signOf(part)}coalesce(sum(number) filter (where cell = any(${cells}::smallint[])), 0) as ${quoted(name)}`,
  )
  return sql`select bucket, ${join(sums)} from (
      select bucket, cell, sum(sign) as number from (${findings}) f group by bucket, cell) kind
    group by bucket`
}

function sheetsOf({ db, figures }: Question, cuts: readonly CounterPlan[]): Sql[] {
  const nothing = figures.list.map(({ name }) => sql`null::bigint as ${quoted(name)}`)
  return cuts.flatMap((each, at) =>
    each.sheets ? selectRollups(db.deploymentId, each, sql`${at}::integer as bucket, ${join(nothing)}`) : [],
  )
}

/** What begins before the first bucket is taken from it. */
function bucketOf(buckets: readonly Period[], at: Sql): Sql {
  if (buckets.length === 1) return sql`1`
  return sql`greatest(width_bucket(${at}, ${buckets.map((bucket) => bucket.since)}::timestamptz[]), 1)`
}

function signOf({ sign }: Part): Sql {
  return sign === 1 ? empty : sql`-`
}

function quoted(name: string): Sql {
  return raw(`"${name}"`)
}
