import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'
import type { Period } from '../../kernel/time-buckets.ts'
import type { Part } from './parts.ts'
import { idArray, selectFindings } from './selection.ts'
import { cutIntoSpans, daily, hourly, type Signed, type Span } from './spans.ts'

/** A number of a report: which counter holds it, and which findings (`cell`) it counts. */
export type Figure<Name extends string> = { name: Name; counter: string; cells: readonly number[] }

/**
 * The numbers of a report, and a cheap condition that leaves out findings (`f`) that are in none of them: that of an index, to
 * the letter.
 */
export type Figures<Name extends string> = { list: readonly Figure<Name>[]; counted: Sql }

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
 * Counters of whole hours, days, weeks and months; the ragged ends, and what no counter has, from the findings.
 */
export function count<Name extends string>(
  db: Queryable,
  parts: readonly Part[],
  categories: readonly number[] | undefined,
  buckets: readonly Period[],
  figures: Figures<Name>,
): Promise<CountRow<Name>[]> {
  const question = { db, categories, buckets, figures }
  const addends = parts.flatMap((part) => {
    if (part.from === 'findings') return [fromFindings(question, part, [{ ...wholeOf(buckets), sign: 1 }])]
    const { spans, ragged } = cutIntoSpans(buckets, grainsOf(part))
    return [
      ...readTogether(spans, categories).map((some) => fromCounters(question, part, some)),
      ...(ragged.length > 0 ? [fromFindings(question, part, ragged)] : []),
    ]
  })
  const sums = figures.list.map(({ name }) => sql`sum(${quoted(name)})::bigint as ${quoted(name)}`)
  return db.query(sql`select bucket, ${join(sums)} from (${join(addends, ' union all ')}) addend group by bucket`)
}

/** Months of categories have an index of their own, which is found by the name of the grain alone. */
function readTogether(spans: readonly Span[], categories: readonly number[] | undefined): (readonly Span[])[] {
  const isMonth = ({ grain }: Span) => grain === 'm'
  const groups = categories ? [spans.filter(isMonth), spans.filter((span) => !isMonth(span))] : [spans]
  return groups.filter((group) => group.length > 0)
}

function fromCounters({ db, categories, buckets, figures }: Question, part: Part, spans: readonly Span[]): Sql {
  const { repositories, rules } = part
  const repository = repositories ? sql`= any(${idArray(db.deploymentId, 'repositories', repositories)})` : sql`= 0`
  const rule = rules ? sql`= any(${idArray(db.deploymentId, 'rules', rules)})` : sql`= 0`
  const category = categories ? sql`= any(${categories}::smallint[]) and c.category >= 0` : sql`= -1`
  const grain = spans.every((span) => span.grain === 'm') ? sql`'m'` : sql`span.grain`
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
      where c.deployment_id = ${db.deploymentId} and c.repository_id ${repository} and c.rule_id ${rule}
        and c.category ${category} and c.grain = ${grain} and c.starts_at >= span.since and c.starts_at < span.until
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

function grainsOf({ repositories, rules }: Part) {
  return repositories || rules ? daily : hourly
}

/** What begins before the first bucket is taken from it. */
function bucketOf(buckets: readonly Period[], at: Sql): Sql {
  if (buckets.length === 1) return sql`1`
  return sql`greatest(width_bucket(${at}, ${buckets.map((bucket) => bucket.since)}::timestamptz[]), 1)`
}

function signOf({ sign }: Part): Sql {
  return sign === 1 ? empty : sql`-`
}

function wholeOf(buckets: readonly Period[]): Period {
  return { since: buckets[0]!.since, until: buckets.at(-1)!.until }
}

function quoted(name: string): Sql {
  return raw(`"${name}"`)
}
