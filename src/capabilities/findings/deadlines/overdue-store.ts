import sql, { join, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type CountRow, isTallied, openStates, talliedKinds } from '../counters/tally-store.ts'
import { type FindingCriteria, inRepositories, onFinding } from '../search/conditions.ts'
import { graded } from './store.ts'

/** Whether counters tell all of it but how old the findings are. */
export function isTalliedButForAge(wanted: FindingCriteria): boolean {
  return wanted.overdue === true && isTallied({ ...wanted, overdue: undefined })
}

/**
 * How many are overdue of each kind. Of a severity, either those are read that are older than they may be, or those that are not,
 * which are taken from what stands by the counters: whichever is the shorter while. So a backlog of years costs what the days of
 * its deadlines cost.
 */
export function countOverdue(db: Queryable, actor: Actor, wanted: FindingCriteria): Promise<CountRow[]> {
  const { deploymentId } = db
  const states = openStates.filter((state) => wanted.states?.includes(state) ?? true)
  const standing = { ...wanted, overdue: undefined, states, pullRequests: 'none' as const }
  if (wanted.pullRequests === 'only' || states.length === 0) return Promise.resolve([])
  const of = (severity: Sql) => sql`f.deployment_id = ${deploymentId} and f.pull_request = 0
    and f.state <= ${stateIs.provisionallyIgnored} and f.severity = ${severity}`
  const limits = graded.map(({ code, days }) => sql`(${code}::smallint, d.${days})`)
  const read = (age: Sql) => sql`(select f.state, f.severity, f.product from finding f
    where ${of(sql`due.severity`)} and f.raised_at ${age} due.at ${onFinding(standing, deploymentId)}
    ${inRepositories(actor, wanted)} offset 0) f`
  const columns = sql`f.state, f.severity, f.product`
  return db.query(sql`with due as materialized (
      select own.severity, own.at, own.at - oldest.raised_at > now() - own.at as is_long
      from finding_deadline d cross join lateral (
        select limits.severity, now() - limits.days * interval '24 hours' as at from (values ${join(limits)}) limits (severity, days)
        where limits.days is not null) own
      cross join lateral (select f.raised_at from finding f where ${of(sql`own.severity`)} order by f.raised_at limit 1) oldest
      where d.deployment_id = ${deploymentId})
    select state, severity, product, sum(number)::bigint as count from (
      select t.state, t.severity, t.product, t.number from ${talliedKinds(actor, standing)}
        and t.severity in (select due.severity from due where due.is_long)
      union all
      select ${columns}, -1 from due cross join lateral ${read(sql`>=`)} where due.is_long
      union all
      select ${columns}, 1 from due cross join lateral ${read(sql`<`)} where not due.is_long) part
    group by state, severity, product having sum(number) > 0`)
}
