import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'
import type { Period } from '../../kernel/time-buckets.ts'
import { cover, type Grain, type Piece, startOf } from './cover.ts'

const hourMs = 3_600_000

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
 * A cut minute is one row, at its beginning.
 */
export function activity(db: Queryable, period: Period, grain: Grain): Promise<Activity[]> {
  const pieces = cover(period, grain).map((piece) =>
    piece.grain === 'cut' ? cutMinute(db, piece) : counted(db, piece),
  )
  return db.query(join(pieces, ' union all '))
}

function counted(db: Queryable, { grain, since, until }: Piece): Sql {
  return sql`select start as at, ecosystem, blocked, allowed from firewall_activity
    where deployment_id = ${db.deploymentId} and grain = ${literal(grain)}
      and start >= ${since}::timestamptz and start < ${until}::timestamptz`
}

/** Whole seconds by their number of requests; of the seconds at its ends, those requests that are within. */
function cutMinute(db: Queryable, { since, until }: Piece): Sql {
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

/** How often what is malicious was refused: the difference of two totals, and the hours at both ends that are cut. */
function blocked(db: Queryable, { since, until }: Period): Sql {
  const first = new Date(Math.ceil(since.getTime() / hourMs) * hourMs)
  const last = startOf('h', until)
  if (first >= last) return refused(db, since, until)
  const totalBefore = (hour: Date) => sql`coalesce((select total.total from firewall_total total
    where total.deployment_id = ${db.deploymentId} and total.culprit_id = culprit.id and total.hour < ${hour}::timestamptz
    order by total.hour desc limit 1), 0)`
  const whole = sql`select artifact_id, advisory_id, count from (
      select artifact_id, advisory_id, ${totalBefore(last)} - ${totalBefore(first)} as count
      from firewall_culprit culprit where deployment_id = ${db.deploymentId} offset 0) difference
    where count > 0`
  return join([whole, refused(db, since, first), refused(db, last, until)], ' union all ')
}

function refused(db: Queryable, since: Date, until: Date): Sql {
  return sql`select artifact_id, advisory_id, count::bigint as count from firewall_refusal
    where deployment_id = ${db.deploymentId} and at >= ${since}::timestamptz and at < ${until}::timestamptz
      and advisory_id <> ''`
}

/** Part of the statement rather than a value of it: each grain has its own plan. */
function literal(grain: Piece['grain']): Sql {
  return raw(`'${grain}'`)
}
