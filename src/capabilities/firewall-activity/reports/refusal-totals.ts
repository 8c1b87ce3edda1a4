import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import { startOf } from './split-period.ts'

/**
 * Rows (artifact_id, advisory_id, before0, before1, …) that add up to how often each was refused as malicious before each of
 * these moments, give or take the same number for all of them: what was refused between two moments is the difference. A
 * total by the hour for each, and the refusals of the hours that are cut.
 */
export function refusalTotals(db: Queryable, moments: readonly Date[]): Sql {
  const hours = moments.map((moment) => startOf('h', moment))
  const cut = moments.map((moment, at) => {
    const columns = moments.map((_, other) => (other === at ? sql`count::bigint` : sql`0`))
    return sql`select artifact_id, advisory_id, ${columnsOf(columns)} from firewall_refusal
      where deployment_id = ${db.deploymentId} and at >= ${hours[at]}::timestamptz and at < ${moment}::timestamptz
        and advisory_id <> ''`
  })
  const [first, last] = [hours[0]!, hours.at(-1)!]
  // Within one hour all totals are the same.
  if (first.getTime() === last.getTime()) return join(cut, ' union all ')
  const totals = sql`select artifact_id, advisory_id, ${columnsOf(hours.map((hour) => totalBefore(db, hour)))}
    from firewall_culprit culprit where deployment_id = ${db.deploymentId}
      and last_hour >= ${first}::timestamptz and first_hour < ${last}::timestamptz`
  return join([totals, ...cut], ' union all ')
}

/** How often was refused, of the rows above, between one moment and the next. */
export function between(at: number): Sql {
  return sql`(sum(${before(at + 1)}) - sum(${before(at)}))::bigint`
}

function columnsOf(values: readonly Sql[]): Sql {
  return join(
    values.map((value, at) => sql`${value} as ${before(at)}`),
    ', ',
  )
}

function before(at: number): Sql {
  return raw(`before${at}`)
}

/**
 * Looked for close by first, as far back as it was refused six times on average: the index hands over everything on a page that
 * fits, and of what is refused often a page is full. So it costs about the same however much was refused.
 */
function totalBefore({ deploymentId }: Queryable, hour: Date): Sql {
  const near = sql`${hour}::timestamptz - (culprit.last_hour - culprit.first_hour) * (6 / culprit.total::float8)`
  const lastWithin = (from: Sql, to: Sql) => sql`(select total.total from firewall_total total
    where total.deployment_id = ${deploymentId} and total.culprit_id = culprit.id
      and total.hour >= ${from} and total.hour < ${to}
    order by total.hour desc limit 1)`
  return sql`case when culprit.last_hour < ${hour}::timestamptz then culprit.total
    when culprit.first_hour >= ${hour}::timestamptz then 0
    else coalesce(${lastWithin(near, sql`${hour}::timestamptz`)}, ${lastWithin(sql`'-infinity'`, near)}, 0) end`
}
