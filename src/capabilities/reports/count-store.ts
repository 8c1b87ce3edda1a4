import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'
import type { Period } from '../../kernel/time-buckets.ts'
import type { Part } from './parts.ts'
import { idArray, selectFindings } from './selection.ts'
import { cutIntoSpans, daily, hourly, type Span } from './spans.ts'

/** A number of a report: which counter holds it, and which findings (`cell`) it counts. */
export type Figure<Name extends string> = { name: Name; counter: string; cells: readonly number[] }

/** The numbers of a report, and a cheap condition that leaves out findings (`f`) that are in none of them. */
export type Figures<Name extends string> = { list: readonly Figure<Name>[]; counted: Sql }

export type CountRow<Name extends string> = { bucket: number } & Record<Name, number>

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
  const starts = buckets.map((bucket) => bucket.since)
  const bucketOf = (at: Sql) => (starts.length === 1 ? sql`1` : sql`width_bucket(${at}, ${starts}::timestamptz[])`)
  const addends = parts.flatMap((part) => {
    const sign = part.sign === 1 ? empty : sql`-`
    if (part.from === 'findings')
      return [fromFindings(db, part, categories, [wholeOf(buckets)], bucketOf, figures, sign)]
    const grains = part.repositories || part.rules ? daily : hourly
    const { spans, ragged } = cutIntoSpans(buckets, grains)
    return [
      ...(spans.length > 0 ? [fromCounters(db, part, categories, spans, bucketOf, figures, sign)] : []),
      ...(ragged.length > 0 ? [fromFindings(db, part, categories, ragged, bucketOf, figures, sign)] : []),
    ]
  })
  const sums = figures.list.map(({ name }) => sql`sum(${quoted(name)})::bigint as ${quoted(name)}`)
  return db.query(sql`select bucket, ${join(sums)} from (${join(addends, ' union all ')}) addend group by bucket`)
}

function fromCounters(
  db: Queryable,
  { repositories, rules }: Part,
  categories: readonly number[] | undefined,
  spans: readonly Span[],
  bucketOf: (at: Sql) => Sql,
  { list }: Figures<string>,
  sign: Sql,
): Sql {
  const repository = repositories ? sql`= any(${idArray(db.deploymentId, 'repositories', repositories)})` : sql`= 0`
  const rule = rules ? sql`= any(${idArray(db.deploymentId, 'rules', rules)})` : sql`= 0`
  const category = categories ? sql`= any(${categories}::smallint[])` : sql`= -1`
  const columns = list.map(({ counter }) => sql`c.${raw(counter)}`)
  const sums = list.map(({ name, counter }) => sql`${sign}sum(c.${raw(counter)}) as ${quoted(name)}`)
  return sql`select ${bucketOf(sql`c.starts_at`)} as bucket, ${join(sums)}
    from unnest(${spans.map((span) => span.grain)}::"char"[], ${spans.map((span) => span.since)}::timestamptz[],
      ${spans.map((span) => span.until)}::timestamptz[]) as span (grain, since, until)
    cross join lateral (
      select c.starts_at, ${join(columns)} from finding_count c
      where c.deployment_id = ${db.deploymentId} and c.repository_id ${repository} and c.rule_id ${rule}
        and c.category ${category} and c.grain = span.grain and c.starts_at >= span.since and c.starts_at < span.until
      offset 0) c
    group by 1`
}

function fromFindings(
  db: Queryable,
  part: Part,
  categories: readonly number[] | undefined,
  periods: readonly Period[],
  bucketOf: (at: Sql) => Sql,
  { list, counted }: Figures<string>,
  sign: Sql,
): Sql {
  const columns = sql`${bucketOf(sql`f.raised_at`)} as bucket, f.cell`
  const findings = selectFindings(db.deploymentId, { ...part, categories }, periods, columns, {
    conditions: sql`and ${counted}`,
  })
  const sums = list.map(
    ({ name, cells }) =>
      sql`${sign}coalesce(sum(number) filter (where cell = any(${cells}::smallint[])), 0) as ${quoted(name)}`,
  )
  return sql`select bucket, ${join(sums)} from (
      select bucket, cell, count(*) as number from (${findings}) f group by bucket, cell) kind
    group by bucket`
}

function wholeOf(buckets: readonly Period[]): Period {
  return { since: buckets[0]!.since, until: buckets.at(-1)!.until }
}

function quoted(name: string): Sql {
  return raw(`"${name}"`)
}
