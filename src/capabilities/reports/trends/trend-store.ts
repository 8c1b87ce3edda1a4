import sql, { empty, join, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import type { CountedSet } from '../counting/parts.ts'
import type { TrendGroup } from './trend-contract.ts'

export type PointRow = { point: number; open: number; median: number }
export type FixRow = { bucket: number; fixed: number; median: number }
export type GroupRow = { key: string; name: string; open: number; age: number; fixed: number; median: number }

/** Findings that count in the backlog while they stand: on a branch, each thing once. */
function counted(db: Queryable, { repositories, rules, categories }: CountedSet): Sql {
  const conditions = [
    // 'is true' keeps the planner from joining: the ids are hashed once and each row looks itself up.
    repositories &&
      sql`(f.repository_id in (select given.id from unnest(${repositories}::bigint[]) as given (id))) is true`,
    rules && sql`(f.rule_id in (select given.id from unnest(${rules}::bigint[]) as given (id))) is true`,
    categories && sql`(f.category = any(${categories}::smallint[])) is true`,
  ].filter((condition) => condition instanceof Object)
  const more = conditions.length === 0 ? empty : sql`and ${join(conditions, ' and ')}`
  return sql`f.deployment_id = ${db.deploymentId} and f.pull_request = 0 and not f.duplicate ${more}`
}

const seconds = (interval: Sql) => sql`greatest(0, floor(extract(epoch from ${interval})))::bigint`
const middle = (of: Sql) => sql`percentile_disc(0.5) within group (order by ${of})`

/**
 * The backlog at some moments, numbered from 1. The history of each finding is cut into the spans in which it was in one
 * state; they are read once for all moments.
 */
export function countStanding(db: Queryable, wanted: CountedSet, moments: readonly Date[]): Promise<PointRow[]> {
  return db.query(sql`${spans(db, wanted, moments.at(-1)!)}
    select moment.point, count(*) as open, ${seconds(sql`min(moment.at) - ${middle(sql`span.raised_at`)}`)} as median
    from unnest(${moments}::timestamptz[]) with ordinality as moment (at, point)
    join spans span on span.raised_at <= moment.at and span.since <= moment.at and span.until > moment.at
    group by moment.point`)
}

/** Without a join, so that no plan can go through all findings for each: what happened to one follows its first row in one sort. */
function spans(db: Queryable, wanted: CountedSet, last: Date): Sql {
  return sql`with chosen as materialized (
      select f.id, f.repository_id, f.raised_at, f.state from finding f where ${counted(db, wanted)} and f.raised_at <= ${last}
    ), steps as (
      select id as finding_id, 0 as kind, raised_at as at, 0::bigint as seq, 0::smallint as from_state, state as to_state,
        repository_id, raised_at from chosen
      union all
      select h.finding_id, 1, h.at, h.seq, h.from_state, h.to_state, null, null from finding_history h
      where h.deployment_id = ${db.deploymentId} and (h.finding_id in (select chosen.id from chosen)) is true
    ), spans as (
      select repository_id, raised_at, since, until from (
        select first_value(repository_id) over story as repository_id, first_value(raised_at) over story as raised_at,
          at as since, coalesce(lead(at) over story, 'infinity'::timestamptz) as until,
          case when kind = 0 then coalesce(lead(from_state) over story, to_state) else to_state end as state
        from steps window story as (partition by finding_id order by kind, at, seq)) span
      where state <= ${stateIs.provisionallyIgnored}
    )`
}

/** What is fixed, by the bucket in which it became so, numbered from 1. */
export function countFixes(db: Queryable, wanted: CountedSet, buckets: readonly Period[]): Promise<FixRow[]> {
  const starts = sql`${buckets.map((bucket) => bucket.since)}::timestamptz[]`
  return db.query(sql`select width_bucket(f.fixed_at, ${starts}) as bucket, count(*) as fixed,
      ${seconds(middle(sql`f.fixed_at - f.raised_at`))} as median
    from finding f where ${fixedIn(db, wanted, buckets)} group by 1`)
}

function fixedIn(db: Queryable, wanted: CountedSet, buckets: readonly Period[]): Sql {
  return sql`${counted(db, wanted)} and f.state = ${stateIs.fixed}
    and f.fixed_at >= ${buckets[0]!.since} and f.fixed_at < ${buckets.at(-1)!.until}`
}

/** Both for each repository, team or tag that has any of it. */
export function countGroups(
  db: Queryable,
  wanted: CountedSet,
  { by, at, buckets }: { by: TrendGroup; at: Date; buckets: readonly Period[] },
): Promise<GroupRow[]> {
  const groups = groupsOf(db, by)
  return db.query(sql`${spans(db, wanted, at)}, groups as materialized (${groups}), standing as (
      select groups.id, count(*) as open, ${seconds(sql`${at}::timestamptz - ${middle(sql`span.raised_at`)}`)} as age
      from spans span join groups on groups.repository_id = span.repository_id
      where span.raised_at <= ${at} and span.since <= ${at} and span.until > ${at}
      group by groups.id
    ), fixes as (
      select groups.id, count(*) as fixed, ${seconds(middle(sql`f.fixed_at - f.raised_at`))} as median
      from finding f join groups on groups.repository_id = f.repository_id where ${fixedIn(db, wanted, buckets)}
      group by groups.id
    )
    select named.key, named.name, coalesce(standing.open, 0) as open, coalesce(standing.age, 0) as age,
      coalesce(fixes.fixed, 0) as fixed, coalesce(fixes.median, 0) as median
    from (select distinct id, key, name from groups) named
    left join standing on standing.id = named.id left join fixes on fixes.id = named.id
    where standing.open > 0 or fixes.fixed > 0
    order by open desc, fixed desc, named.key`)
}

/** Which repositories belong to which; those of a team are also those of the teams below it, which filters count too. */
function groupsOf(db: Queryable, by: TrendGroup): Sql {
  const { deploymentId } = db
  if (by === 'repository')
    return sql`select r.id, r.id as repository_id, r.name as key, r.name from repository r where r.deployment_id = ${deploymentId}`
  if (by === 'tag')
    return sql`select tag.id, own.repository_id, tag.name as key, tag.name from repository_tag own
      join tag on tag.deployment_id = own.deployment_id and tag.id = own.tag_id where own.deployment_id = ${deploymentId}`
  return sql`select distinct team.id, own.repository_id, team.slug as key, team.name from team
    join (
      with recursive below as (
        select id as top, id from team where deployment_id = ${deploymentId}
        union select below.top, child.id from below
        join team child on child.deployment_id = ${deploymentId} and child.parent_team_id = below.id
      ) select * from below) below on below.top = team.id
    join team_repository own on own.deployment_id = ${deploymentId} and own.team_id = below.id
    where team.deployment_id = ${deploymentId}`
}
