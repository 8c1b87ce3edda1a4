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

/** What happened in each bucket that something happened in, numbered from 1. */
export function countActivity(db: Queryable, wanted: CountedSet, buckets: readonly Period[]): Promise<ActivityRow[]> {
  const period = { since: buckets[0]!.since, until: buckets.at(-1)!.until }
  const starts = sql`${buckets.map((bucket) => bucket.since)}::timestamptz[]`
  const selection = { ...among(wanted), categories: wanted.categories, by: wayFor(wanted) }
  const raised = selectFindings(
    db.deploymentId,
    selection,
    [period],
    sql`width_bucket(f.raised_at, ${starts}) as bucket`,
  )
  const became = (state: number) => sql`count(*) filter (where h.to_state = ${state} and h.from_state <> ${state})`
  return db.query(sql`select bucket, sum(opened)::bigint as opened, sum(fixed)::bigint as fixed,
      sum(reopened)::bigint as reopened, sum(ignored)::bigint as ignored, sum(provisional)::bigint as "provisionallyIgnored"
    from (
      select bucket, count(*) as opened, 0 as fixed, 0 as reopened, 0 as ignored, 0 as provisional
      from (${raised}) f group by bucket
      union all
      select width_bucket(h.at, ${starts}), 0, ${became(fixed)},
        count(*) filter (where h.from_state = ${fixed} and h.to_state <> ${fixed}), ${became(ignored)}, ${became(provisional)}
      from finding_history h ${ofWanted(wanted)}
      where h.deployment_id = ${db.deploymentId} and h.at >= ${period.since} and h.at < ${period.until}
      group by 1) happened
    group by bucket`)
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
