import sql, { join, raw, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { recountDays } from './day-recount.ts'
import type { Miscount } from './miscount.ts'

/** Counters that are not what a recount of the findings says. */
export async function recount(db: Queryable, limit = 100): Promise<Miscount[]> {
  const wrong: Miscount[] = []
  for (const recountSome of [recountReports, recountKinds, recountThings, recountDays]) {
    if (wrong.length < limit) wrong.push(...(await recountSome(db, limit - wrong.length)))
  }
  return wrong
}

/** Of what stands on several branches one counts; grain 't'. */
export function recountThings(db: Queryable, limit: number): Promise<Miscount[]> {
  return db.query(sql`select repository_id, min(rule_id) as rule_id, min(category) as category, 't' as grain,
      min(raised_at) as starts_at, array[count(*) filter (where not duplicate)::integer] as kept, array[1] as counted
    from (
      select f.repository_id, f.rule_id, f.category, f.raised_at, f.duplicate, s.source, finding_thing(f.fingerprint) as thing,
        finding_code(f.context) as code, row_number() over (partition by f.stream_id, finding_thing(f.fingerprint),
          finding_code(f.context) order by f.state = ${stateIs.provisionallyIgnored}, f.id) as number
      from finding f join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
      where f.deployment_id = ${db.deploymentId} and f.pull_request = 0 and f.state <= ${stateIs.provisionallyIgnored}) standing
    group by repository_id, source, thing, code, number having count(*) filter (where not duplicate) <> 1
    order by repository_id, 2, 3 limit ${limit}`)
}

/** Those that searches count by; `category` is the kind. */
function recountKinds(db: Queryable, limit: number): Promise<Miscount[]> {
  return db.query(sql`${countedKinds(db)}
    select repository_id, 0::bigint as rule_id, kind as category, 'k' as grain, null as starts_at,
      array[coalesce(kept, 0)] as kept, array[coalesce(counted, 0)] as counted
    from counted full join kept using (repository_id, kind)
    where coalesce(kept, 0) <> coalesce(counted, 0) order by repository_id, kind limit ${limit}`)
}

/** What is (`counted`) and what the counters say (`kept`), as of the same moment. */
export function countedKinds(db: Queryable): Sql {
  return sql`with counted as (
      select scope.repository_id, finding_kind(f.state, f.severity, f.product, f.pull_request) as kind,
        count(*)::integer as counted
      from finding f cross join lateral (values (0::bigint), (f.repository_id)) as scope (repository_id)
      where f.deployment_id = ${db.deploymentId} group by 1, 2
    ), kept as (
      select repository_id, kind, sum(number)::integer as kept from finding_tally
      where deployment_id = ${db.deploymentId} group by 1, 2)`
}

/** In the order of finding_sums. */
export const columns = [
  ...['silenced', 'open', 'fixed', 'ignored', 'provisional'],
  ...['code', 'sca', 'secrets'].flatMap((product) =>
    ['standing', 'exploitable', 'exposed', 'priority'].map((stage) => `${product}_${stage}`),
  ),
  'ended',
]

export const key = sql`repository_id, rule_id, category, grain, starts_at`
export const nothing = sql`array_fill(0, array[18])`

/** Of each key the sum of its rows, merged or not. */
function recountReports(db: Queryable, limit: number): Promise<Miscount[]> {
  return db.query(sql`${countedReports(db)}
    select ${key}, coalesce(kept, ${nothing}) as kept, coalesce(counted, ${nothing}) as counted
    from counted full join kept using (${key})
    where coalesce(kept, ${nothing}) <> coalesce(counted, ${nothing}) order by ${key} limit ${limit}`)
}

/** As `countedKinds`. */
export function countedReports(db: Queryable): Sql {
  return sql`with place as (
      select f.repository_id, f.rule_id, f.category, date_trunc('day', f.raised_at, 'UTC') as day, f.cell,
        count(*)::integer as number
      from finding f where f.deployment_id = ${db.deploymentId} group by 1, 2, 3, 4, 5
    ), list as (
      select array_agg(repository_id) as repositories, array_agg(rule_id) as rules, array_agg(category) as categories,
        array_agg(day) as days, array_agg(cell) as cells, array_agg(number) as numbers from place
    ), counted as (
      select ${key}, array(select coalesce(one, 0) from unnest(sums) with ordinality as t (one, at) order by at) as counted
      from list cross join lateral finding_sums(repositories, rules, categories, days, cells, numbers) s
    ), kept as (
      select ${key}, array[${join(columns.map((name) => sql`sum(${raw(name)})`))}]::integer[] as kept
      from finding_count where deployment_id = ${db.deploymentId} group by ${key})`
}
