import sql, { empty, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { type CountedSet, wayAmong } from '../counting/parts.ts'
import { selectFindings } from '../counting/selection.ts'
import { among } from '../lists/list-store.ts'
import { isDrawn, type Rate } from './sample.ts'
import type { TrendGroup } from './trend-contract.ts'

export type PointRow = { point: number; open: number; median: number }
export type FixRow = { bucket: number; fixed: number; median: number }
export type GroupRow = { key: string; name: string; open: number; age: number; fixed: number; median: number }

/** What is wanted, or one in this many of it. `lookUp` says that it is few of all findings. */
export type Drawn = CountedSet & { rate: Rate; lookUp?: boolean }

/** Before every finding. */
const beginning = new Date(0)

/**
 * Findings that count in the backlog while they stand, on a branch and each thing once, raised up to a moment: along the repositories or
 * rules that are asked for, where some are.
 */
function counted(db: Queryable, { rate, lookUp: _, ...wanted }: Drawn, last: Date, columns: Sql, more = empty): Sql {
  const period = { since: beginning, until: new Date(last.getTime() + 1) }
  const selection = { ...among(wanted), categories: wanted.categories, by: wayAmong(wanted, [period]) }
  const conditions = sql`and f.pull_request = 0 and not f.duplicate ${isDrawn(rate)} ${more}`
  return selectFindings(db.deploymentId, selection, [period], columns, { conditions })
}

const seconds = (interval: Sql) => sql`greatest(0, floor(extract(epoch from ${interval})))::bigint`
const middle = (of: Sql) => sql`percentile_disc(0.5) within group (order by ${of})`

/** What stood is sorted by when it was raised and cut into this many slots of equal size. */
const slots = 256

/**
 * The backlog at some moments, numbered from 1: in their order, and none twice. The history of each finding is cut into the spans
 * in which it was in one state. Each is read twice, however many moments there are: it counts up where it begins and down where it
 * ends, slot by slot, which tells how many stood at each moment and in which slot the one in the middle is; then only the spans of
 * those slots are looked at closely. Without a join between moments and spans, which no plan would do in one pass.
 */
export function countStanding(db: Queryable, drawn: Drawn, moments: readonly Date[]): Promise<PointRow[]> {
  const times = sql`${moments}::timestamptz[]`
  const start = sql`greatest(span.since, span.raised_at)`
  return db.query(sql`${spans(db, drawn, moments.at(-1)!)}, placed as materialized (
      select raised_at, first, last, ntile(${slots}) over (order by raised_at) as slot
      from (select span.raised_at,
          width_bucket(${start}, ${times}) + case when ${start} = any(${times}) then 0 else 1 end as first,
          width_bucket(span.until, ${times}) - case when span.until = any(${times}) then 1 else 0 end as last
        from spans span offset 0) span
      where first <= last
    ), changes as (
      select slot, point, sum(change) as change from (
        select slot, first as point, 1 as change from placed union all select slot, last + 1, -1 from placed) change
      group by slot, point
    ), standing as (
      select slot, point, sum(coalesce(changes.change, 0)) over (partition by slot order by point) as standing
      from generate_series(1, ${slots}) slot cross join generate_series(1, ${moments.length}::integer) point
      left join changes using (slot, point)
    ), sums as (
      select point, slot, standing, sum(standing) over (partition by point order by slot) as up_to,
        sum(standing) over (partition by point) as open from standing
    ), middle as materialized (
      select point, slot, open, div(open + 1, 2) - (up_to - standing) as place from sums
      where up_to >= div(open + 1, 2) and up_to - standing < div(open + 1, 2)
    ), lookup as materialized (
      select array_agg(middle.slot order by point) as slot_of, array_agg(middle.place order by point) as place_of,
        array_agg(middle.open order by point) as open_of,
        array(select min(middle.point) from generate_series(1, ${slots}) slot left join middle using (slot)
          group by slot order by slot) as first_of,
        array(select max(middle.point) from generate_series(1, ${slots}) slot left join middle using (slot)
          group by slot order by slot) as last_of
      from generate_series(1, ${moments.length}::integer) point left join middle using (point)
    ), near as (
      select point, placed.raised_at, row_number() over (partition by point order by placed.raised_at) as place
      from lookup cross join placed
      cross join lateral generate_series(greatest(placed.first, lookup.first_of[placed.slot]),
        least(placed.last, lookup.last_of[placed.slot])) point
      where lookup.first_of[placed.slot] is not null and lookup.slot_of[point] = placed.slot
    )
    select point, lookup.open_of[point]::bigint as open, ${seconds(sql`(${times})[point] - near.raised_at`)} as median
    from near cross join lookup where near.place = lookup.place_of[point]`)
}

/** Without a join, so that no plan can go through all findings for each: what happened to one follows its first row in one sort. */
function spans(db: Queryable, drawn: Drawn, last: Date): Sql {
  return sql`with chosen as materialized (
      ${counted(db, drawn, last, sql`f.id, f.repository_id, f.raised_at, f.state, f.change_count`)}
    ), steps as (
      select id as finding_id, 0 as kind, raised_at as at, 0::bigint as seq, 0::smallint as from_state, state as to_state,
        repository_id, raised_at from chosen
      union all
      select h.finding_id, 1, h.at, h.seq, h.from_state, h.to_state, null, null from ${historyOf(db, drawn)}
    ), spans as (
      select repository_id, raised_at, since, until from (
        select first_value(repository_id) over story as repository_id, first_value(raised_at) over story as raised_at,
          at as since, coalesce(lead(at) over story, 'infinity'::timestamptz) as until,
          case when kind = 0 then coalesce(lead(from_state) over story, to_state) else to_state end as state
        from steps window story as (partition by finding_id order by kind, at, seq)) span
      where state <= ${stateIs.provisionallyIgnored}
    )`
}

/** The changes (`h`) of the findings that are chosen: of a part of them one after the other, else all changes are gone through. */
function historyOf(db: Queryable, { repositories, rules, rate, lookUp }: Drawn): Sql {
  return repositories || rules || rate > 1 || lookUp
    ? sql`chosen cross join lateral (select h.* from finding_history h
        where h.deployment_id = ${db.deploymentId} and h.finding_id = chosen.id offset 0) h where chosen.change_count > 0`
    : sql`finding_history h where h.deployment_id = ${db.deploymentId} and (h.finding_id in (select chosen.id from chosen)) is true`
}

/** What is fixed, by the bucket in which it became so, numbered from 1. */
export function countFixes(db: Queryable, drawn: Drawn, buckets: readonly Period[]): Promise<FixRow[]> {
  const starts = sql`${buckets.map((bucket) => bucket.since)}::timestamptz[]`
  return db.query(sql`select width_bucket(f.fixed_at, ${starts}) as bucket, count(*) as fixed,
      ${seconds(middle(sql`f.fixed_at - f.raised_at`))} as median
    from (${fixedIn(db, drawn, buckets)}) f group by 1`)
}

function fixedIn(db: Queryable, drawn: Drawn, buckets: readonly Period[]): Sql {
  const { since, until } = { since: buckets[0]!.since, until: buckets.at(-1)!.until }
  const isFixed = sql`and f.state = ${stateIs.fixed} and f.fixed_at >= ${since} and f.fixed_at < ${until}`
  return counted(db, drawn, until, sql`f.repository_id, f.fixed_at, f.raised_at`, isFixed)
}

/** Both for each repository, team or tag that has any of it. */
export function countGroups(
  db: Queryable,
  drawn: Drawn,
  { by, at, buckets }: { by: TrendGroup; at: Date; buckets: readonly Period[] },
): Promise<GroupRow[]> {
  const standing = sql`select span.repository_id, span.raised_at from spans span
    where span.raised_at <= ${at} and span.since <= ${at} and span.until > ${at}`
  return db.query(sql`${spans(db, drawn, at)}, groups as materialized (${groupsOf(db, by, drawn.repositories)}), part as (
      select id, key, name, count(*) as open, ${seconds(sql`${at}::timestamptz - ${middle(sql`raised_at`)}`)} as age,
        0 as fixed, 0 as median
      from (${inGroups(standing)}) own where id is not null and raised_at is not null group by id, key, name
      union all
      select id, key, name, 0, 0, count(*), ${seconds(middle(sql`fixed_at - raised_at`))}
      from (${inGroups(fixedIn(db, drawn, buckets))}) own where id is not null and fixed_at is not null group by id, key, name
    )
    select key, name, sum(open)::bigint as open, sum(age)::bigint as age, sum(fixed)::bigint as fixed, sum(median)::bigint as median
    from part group by id, key, name order by open desc, fixed desc, key`)
}

/**
 * Findings with the groups of their repositories, and what has no other side. As a full join, which is hashed: of two sides that a planner
 * takes for a few rows it would read one for each row of the other.
 */
function inGroups(findings: Sql): Sql {
  return sql`select groups.id, groups.key, groups.name, f.* from (${findings}) f
    full join groups on groups.repository_id = f.repository_id offset 0`
}

/** Which of these repositories, or of all, belong to which; those of a team are also those of the teams below it, which filters count too. */
export function groupsOf(
  { deploymentId }: Queryable,
  by: TrendGroup,
  repositories: readonly number[] | undefined,
): Sql {
  const all = everyGroup(deploymentId, by)
  if (!repositories) return all
  return sql`select g.* from (${all}) g
    where g.repository_id in (select given.id from unnest(${repositories}::bigint[]) as given (id))`
}

function everyGroup(deploymentId: number, by: TrendGroup): Sql {
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
