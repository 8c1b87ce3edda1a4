import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { isFix } from '../counted-moves.ts'
import { dayFigures } from './day-changes.ts'
import type { Miscount } from './miscount.ts'
import { firstState, stoodMore } from './stood.ts'

const key = sql`repository_id, grain, starts_at`
const nothing = sql`array_fill(0, array[${raw(String(dayFigures.length))}])`
const columns = join(dayFigures.map((name) => raw(name)))
const differs = sql`coalesce(kept, ${nothing}) <> coalesce(counted, ${nothing})`

/**
 * What the days of repositories are by their findings (`counted`) and by the counters (`kept`), as of the same moment; of one repository,
 * or of all and the deployment.
 */
function countedDays({ deploymentId }: Queryable, repositoryId?: number): Sql {
  const of = (alias: Sql) => (repositoryId ? sql`and ${alias}.repository_id = ${repositoryId}::bigint` : empty)
  const scopes = repositoryId ? sql`(values (step.repository_id))` : sql`(values (0::bigint), (step.repository_id))`
  const number = (name: (typeof dayFigures)[number]) => raw(String(dayFigures.indexOf(name) + 1))
  const changed = (name: (typeof dayFigures)[number], when: Sql) =>
    sql`select repository_id, at, ${number(name)}, 1 from change where ${when}`
  const became = (state: Sql) => sql`to_state = ${state} and from_state <> ${state}`
  return sql`with own as materialized (
      select f.id, f.repository_id, f.raised_at, f.severity, f.cell, f.change_count, f.pull_request = 0 and not f.duplicate as counts,
        ${firstState(deploymentId)} as first_state, case when ${isFix} then f.fixed_at end as fixed_at
      from finding f where f.deployment_id = ${deploymentId} ${of(sql`f`)}
    ), change as materialized (
      select own.repository_id, own.counts, h.at, h.from_state, h.to_state, h.more from own
      cross join lateral (select h.at, h.from_state, h.to_state, ${stoodMore} as more from finding_history h
        where h.deployment_id = ${deploymentId} and h.finding_id = own.id offset 0) h
      where own.change_count > 0
    ), step as (
      select repository_id, raised_at as at, ${number('opened')} as figure, 1 as change from own
      union all ${changed('fixings', became(stateIs.fixed))}
      union all ${changed('reopened', sql`from_state = ${stateIs.fixed} and to_state <> ${stateIs.fixed}`)}
      union all ${changed('ignored', became(stateIs.ignored))}
      union all ${changed('provisional', became(stateIs.provisionallyIgnored))}
      union all select repository_id, raised_at, ${number('stood')}, 1 from own
        where counts and first_state <= ${stateIs.provisionallyIgnored}
      union all select repository_id, at, ${number('stood')}, more from change where counts and more <> 0
      union all select repository_id, fixed_at, ${number('fixed')}, 1 from own where fixed_at is not null
      union all select repository_id, raised_at, ${number('fixed')} + severity, 1 from own where cell >= 32
    ), daily as (
      select repository_id, date_trunc('day', at, 'UTC') as day, figure, sum(change) as change from step group by 1, 2, 3
    ), counted as (
      select scope.repository_id, span.grain, span.starts_at,
        array[${join(dayFigures.map((name) => sql`coalesce(sum(step.change) filter (where figure = ${number(name)}), 0)`))}]::integer[]
          as counted
      from daily step cross join lateral ${scopes} as scope (repository_id)
      cross join lateral (values ('d'::"char", step.day), ('m', date_trunc('month', step.day, 'UTC'))) as span (grain, starts_at)
      group by 1, 2, 3
    ), kept as (
      select ${key}, array[${join(dayFigures.map((name) => sql`sum(${raw(name)})`))}]::integer[] as kept
      from finding_day c where c.deployment_id = ${deploymentId} ${of(sql`c`)} group by ${key})`
}

/** Days that are not what their findings say; none of repositories that are due, which nobody reads. */
export function recountDays(db: Queryable, limit: number): Promise<Miscount[]> {
  return db.query(sql`${countedDays(db)}
    select repository_id, 0::bigint as rule_id, -1 as category, grain, starts_at, coalesce(kept, ${nothing}) as kept,
      coalesce(counted, ${nothing}) as counted
    from counted full join kept using (${key})
    where ${differs} and not exists (select from finding_days_due due where due.deployment_id = ${db.deploymentId})
    order by ${key} limit ${limit}`)
}

/** Makes all days right, and answers how many were not. */
export async function rebuildDays(tx: Transaction): Promise<number> {
  // First: what a process of the release before changes from here on stays due.
  await tx.query(sql`delete from finding_days_due where deployment_id = ${tx.deploymentId}`)
  const rows = await tx.query(sql`${countedDays(tx)} ${insertDifferences(tx, sql`(values (repository_id))`)}`)
  return rows.length
}

/** Those of a repository, which is locked by the caller; what they were wrong by, the deployment was too. */
export async function countDays(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.query(
    sql`${countedDays(tx, repositoryId)} ${insertDifferences(tx, sql`(values (0::bigint), (repository_id))`)}`,
  )
}

function insertDifferences({ deploymentId }: Transaction, scopes: Sql): Sql {
  const differences = dayFigures.map((_, at) => raw(`coalesce(counted[${at + 1}], 0) - coalesce(kept[${at + 1}], 0)`))
  return sql`insert into finding_day (deployment_id, ${key}, ${columns})
    select ${deploymentId}::bigint, scope.id, grain, starts_at, ${join(differences)}
    from counted full join kept using (${key}) cross join lateral ${scopes} as scope (id) where ${differs} returning 1`
}

/** Repositories whose days are to be counted, in the order of their ids. */
export async function listDue(db: Queryable, most: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select repository_id as id from finding_days_due
    where deployment_id = ${db.deploymentId} order by repository_id limit ${most}`)
  return rows.map((row) => row.id)
}

/** From here on nobody changes its findings; not due any more. */
export async function takeDue(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.query(
    sql`select from repository where deployment_id = ${tx.deploymentId} and id = ${repositoryId} for update`,
  )
  await tx.query(
    sql`delete from finding_days_due where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId}`,
  )
}
