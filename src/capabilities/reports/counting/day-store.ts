import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { bucketOf } from './count-store.ts'
import type { CountedSet } from './parts.ts'
import type { Span } from './spans.ts'

/** Whether days know what is asked for: they are those of a deployment and of its repositories. */
export function knownByDays({ rules, categories }: CountedSet): boolean {
  return !rules && !categories
}

/**
 * The rows of a statement that reads days; undefined while some are still to be counted, which the same statement tells. Then the
 * findings have to be read.
 */
export async function readDays<Row extends object>(db: Queryable, statement: Sql): Promise<Row[] | undefined> {
  const rows = await db.query<Row & { due: boolean; found: boolean | null }>(sql`select due.due, answer.*
    from (select exists (select from finding_days_due d where d.deployment_id = ${db.deploymentId}) as due) due
    left join (select true as found, answer.* from (${statement}) answer) answer on not due.due`)
  if (rows[0]?.due) return undefined
  return rows.filter((row) => row.found)
}

/** As a table (`span`). */
export function spanRows(spans: readonly Span[]): Sql {
  return sql`unnest(${spans.map((span) => span.grain)}::"char"[], ${spans.map((span) => span.since)}::timestamptz[],
    ${spans.map((span) => span.until)}::timestamptz[], ${spans.map((span) => span.sign)}::integer[])
    as span (grain, since, until, sign)`
}

/** Columns of days by the bucket that each span is in. */
export function daysByBucket(
  { deploymentId }: Queryable,
  repositories: readonly number[] | undefined,
  { spans, buckets, columns }: { spans: readonly Span[]; buckets: readonly Period[]; columns: readonly string[] },
): Sql {
  const scope = repositories ? sql`= any(${repositories}::bigint[])` : sql`= 0`
  const [start, byStart] = buckets.length === 1 ? [empty, empty] : [sql`c.starts_at, `, sql`group by c.starts_at`]
  return sql`select ${bucketOf(buckets, sql`c.starts_at`)} as bucket, ${join(columns.map((name) => sql`span.sign * c.${raw(name)} as ${raw(name)}`))}
    from ${spanRows(spans)} cross join lateral (
      select ${start}${join(columns.map((name) => sql`sum(c.${raw(name)}) as ${raw(name)}`))} from finding_day c
      where c.deployment_id = ${deploymentId} and c.repository_id ${scope} and c.grain = span.grain
        and c.starts_at >= span.since and c.starts_at < span.until
      ${byStart}) c`
}
