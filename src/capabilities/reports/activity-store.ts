import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../kernel/database/database.ts'
import type { Period } from '../../kernel/time/time-buckets.ts'
import type { CountedSet } from './counting/parts.ts'
import { selectFindings } from './counting/selection.ts'
import { among, wayFor } from './lists/list-store.ts'

export type ActivityRow = {
  bucket: number
  opened: number
  fixed: number
  reopened: number
  ignored: number
  provisionallyIgnored: number
}

/** What happened in each bucket that something happened in, numbered from 1; `once`: each finding once in each number. */
export function countActivity(
  db: Queryable,
  wanted: CountedSet,
  buckets: readonly Period[],
  once: boolean,
): Promise<ActivityRow[]> {
  const period = { since: buckets[0]!.since, until: buckets.at(-1)!.until }
  const starts = sql`${buckets.map((bucket) => bucket.since)}::timestamptz[]`
  const selection = { ...among(wanted), categories: wanted.categories, by: wayFor(wanted) }
  const raised = selectFindings(
    db.deploymentId,
    selection,
    [period],
    sql`width_bucket(f.raised_at, ${starts}) as bucket`,
  )
  const happened = sql`finding_history h ${ofWanted(wanted)}
    where h.deployment_id = ${db.deploymentId} and h.at >= ${period.since} and h.at < ${period.until}`
  return db.query(sql`select bucket, sum(opened)::bigint as opened, sum(fixed)::bigint as fixed,
      sum(reopened)::bigint as reopened, sum(ignored)::bigint as ignored, sum(provisional)::bigint as "provisionallyIgnored"
    from (
      select bucket, count(*) as opened, 0 as fixed, 0 as reopened, 0 as ignored, 0 as provisional
      from (${raised}) f group by bucket
      union all
      ${once ? eachOnce(starts, happened) : everyTime(starts, happened)}) happened
    group by bucket`)
}

const became = (state: number) => sql`h.to_state = ${state} and h.from_state <> ${state}`
const cameBack = () => sql`h.from_state = ${fixed} and h.to_state <> ${fixed}`

function everyTime(starts: Sql, happened: Sql): Sql {
  return sql`select width_bucket(h.at, ${starts}), 0, count(*) filter (where ${became(fixed)}),
      count(*) filter (where ${cameBack()}), count(*) filter (where ${became(ignored)}),
      count(*) filter (where ${became(provisional)})
    from ${happened} group by 1`
}

function eachOnce(starts: Sql, happened: Sql): Sql {
  return sql`select bucket, 0, count(*) filter (where was_fixed), count(*) filter (where came_back),
      count(*) filter (where was_ignored), count(*) filter (where was_provisional)
    from (
      select width_bucket(h.at, ${starts}) as bucket, h.finding_id, bool_or(${became(fixed)}) as was_fixed,
        bool_or(${cameBack()}) as came_back, bool_or(${became(ignored)}) as was_ignored,
        bool_or(${became(provisional)}) as was_provisional
      from ${happened} group by 1, 2) one
    group by bucket`
}

const provisional = 5
const ignored = 6
const fixed = 7

function ofWanted({ repositories, rules, categories }: CountedSet): Sql {
  const conditions = [
    repositories &&
      sql`(f.repository_id in (select given.id from unnest(${repositories}::bigint[]) as given (id))) is true`,
    rules && sql`(f.rule_id in (select given.id from unnest(${rules}::bigint[]) as given (id))) is true`,
    categories && sql`f.category = any(${categories}::smallint[])`,
  ].filter((condition) => condition instanceof Object)
  if (conditions.length === 0) return empty
  return sql`join finding f on f.deployment_id = h.deployment_id and f.id = h.finding_id and ${join(conditions, ' and ')}`
}
