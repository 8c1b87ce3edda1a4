import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'
import type { Period } from '../../kernel/time-buckets.ts'
import { cover, type Grain, type Piece } from './cover.ts'
import { spansOf } from './spans.ts'

export type Dependency = { dependency: string; version: string; ecosystem: string; totalBlocked: number }
export type Advised = { advisoryId: string; dependencies: number; totalBlocked: number }
export type Activity = { at: Date; ecosystem: string; blocked: number; allowed: number }

export function blockedDependencies(
  db: Queryable,
  period: Period,
  after: Dependency | undefined,
  limit: number,
): Promise<Dependency[]> {
  const rest = after
    ? sql`where total < ${after.totalBlocked} or (total = ${after.totalBlocked}
        and (name, version, ecosystem) > (${after.dependency}, ${after.version}, ${after.ecosystem}))`
    : sql``
  return db.query(sql`select name as dependency, version, ecosystem, total as "totalBlocked" from (
      select artifact_id, sum(count)::bigint as total from (${blocked(db, period)}) counted group by artifact_id) totals
    join firewall_artifact artifact on artifact.deployment_id = ${db.deploymentId} and artifact.id = totals.artifact_id
    ${rest}
    order by total desc, name, version, ecosystem limit ${limit}`)
}

export function blockedByAdvisory(
  db: Queryable,
  period: Period,
  after: Advised | undefined,
  limit: number,
): Promise<Advised[]> {
  const rest = after
    ? sql`where total < ${after.totalBlocked} or (total = ${after.totalBlocked} and advisory_id > ${after.advisoryId})`
    : sql``
  return db.query(sql`select advisory_id as "advisoryId", dependencies, total as "totalBlocked" from (
      select advisory_id, sum(count)::bigint as total, count(distinct artifact_id) as dependencies
      from (${blocked(db, period)}) counted group by advisory_id) totals
    ${rest}
    order by total desc, advisory_id limit ${limit}`)
}

export async function blockedTotals(db: Queryable, period: Period): Promise<{ total: number; dependencies: number }> {
  const [row] = await db.query<{
    total: number
    dependencies: number
  }>(sql`select coalesce(sum(count), 0)::bigint as total,
    count(distinct artifact_id) as dependencies from (${blocked(db, period)}) counted`)
  return row!
}

/**
 * How many requests there were, for each unit of time no larger than `grain` that the period is made of, and ecosystem.
 * A cut hour is one row, at its beginning.
 */
export function activity(db: Queryable, period: Period, grain: Grain): Promise<Activity[]> {
  const pieces = cover(period, grain).map((piece) => (piece.grain === 'cut' ? cutHour(db, piece) : counted(db, piece)))
  return db.query(join(pieces, ' union all '))
}

function counted(db: Queryable, { grain, since, until }: Piece): Sql {
  return sql`select start as at, ecosystem, blocked, allowed from firewall_activity
    where deployment_id = ${db.deploymentId} and grain = ${literal(grain)}
      and start >= ${since}::timestamptz and start < ${until}::timestamptz`
}

/** Whole seconds by their number of requests; of the seconds at its ends, those requests that are within. */
function cutHour(db: Queryable, { since, until }: Piece): Sql {
  const within = (requests: Sql) => sql`sum(case
    when at >= ${since}::timestamptz and at + interval '1 second' <= ${until}::timestamptz then cardinality(${requests})
    else (select count(*) from unnest(${requests}) as ms where at + ms * interval '1 millisecond' >= ${since}::timestamptz
      and at + ms * interval '1 millisecond' < ${until}::timestamptz) end)::bigint`
  return sql`select ${since}::timestamptz as at, ecosystem, ${within(sql`blocked`)} as blocked,
      ${within(sql`allowed`)} as allowed
    from firewall_second where deployment_id = ${db.deploymentId}
      and at > ${since}::timestamptz - interval '1 second' and at < ${until}::timestamptz
    group by ecosystem`
}

function blocked(db: Queryable, period: Period): Sql {
  const pieces = spansOf(period).map(({ hours, since, until }) =>
    hours === 0
      ? sql`select artifact_id, advisory_id, count::bigint as count from firewall_refusal
          where deployment_id = ${db.deploymentId} and at >= ${since}::timestamptz and at < ${until}::timestamptz
            and advisory_id <> ''`
      : sql`select artifact_id, advisory_id, count from firewall_blocked
          where deployment_id = ${db.deploymentId} and hours = ${raw(String(hours))}
            and start >= ${since}::timestamptz and start < ${until}::timestamptz`,
  )
  return join(pieces, ' union all ')
}

/** Part of the statement rather than a value of it: each grain has its own plan. */
function literal(grain: Piece['grain']): Sql {
  return raw(`'${grain}'`)
}
