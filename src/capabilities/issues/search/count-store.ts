import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { type IssueCriteria, inCells, scopesFor } from './conditions.ts'

/** Where an issue is counted. */
export type CountCell = { scope_id: number; triage_state: number; triage_reason: number; severity: number }
export type CountChange = { from?: CountCell; to: CountCell }

const wholeDeployment = 0

const pending = new WeakMap<object, CountChange[]>()

/**
 * Notes what moves from cell to cell. The counters move once, at the end of the transaction: whoever decides about another issue
 * waits for them, and waits only for its last round trips then.
 */
export function noteMoves(tx: Transaction, moves: readonly CountChange[]): void {
  const known = pending.get(tx.key)
  if (known) {
    for (const move of moves) known.push(move)
    return
  }
  const noted = [...moves]
  pending.set(tx.key, noted)
  tx.atEnd(async () => moveCounters(tx, noted))
}

/** In one order, so that two who move do not block each other. */
function moveCounters(tx: Transaction, moves: readonly CountChange[]): Sql[] {
  const changes = netChanges(moves)
  if (changes.length === 0) return []
  const moved = sql`insert into issue_count as c
      (deployment_id, scope_id, triage_state, triage_reason, severity, count)
    select ${tx.deploymentId}::bigint, given.* from unnest(${changes.map((one) => one.scope_id)}::bigint[],
      ${changes.map((one) => one.triage_state)}::smallint[], ${changes.map((one) => one.triage_reason)}::smallint[],
      ${changes.map((one) => one.severity)}::smallint[], ${changes.map((one) => one.change)}::bigint[])
      as given (scope_id, triage_state, triage_reason, severity, change)
    order by scope_id, triage_state, triage_reason, severity
    on conflict (deployment_id, scope_id, triage_state, triage_reason, severity)
      do update set count = c.count + excluded.count`
  return [moved]
}

function netChanges(moves: readonly CountChange[]): (CountCell & { change: number })[] {
  const cells = new Map<string, CountCell & { change: number }>()
  const add = (place: CountCell, change: number) => {
    for (const scope_id of [place.scope_id, wholeDeployment]) {
      const key = [scope_id, place.triage_state, place.triage_reason, place.severity].join()
      const cell = cells.get(key)
      if (cell) cell.change += change
      else cells.set(key, { ...place, scope_id, change })
    }
  }
  for (const { from, to } of moves) {
    if (from) add(from, -1)
    add(to, 1)
  }
  return [...cells.values()].filter((cell) => cell.change !== 0)
}

export type CountRow = { triage_state: number; severity: number; count: number }

/** Who sees all scopes there are is answered from the few sums of the deployment, others from those of their scopes. */
export function count(db: Queryable, actor: Actor, wanted: IssueCriteria): Promise<CountRow[]> {
  const scopes = scopesFor(actor, wanted.repositoryIds)
  const cells = sql`select c.triage_state, c.severity, c.count from issue_count c
    where c.deployment_id = ${db.deploymentId} ${inCells(sql`c`, wanted)}`
  const sums = sql`select triage_state, severity, sum(count)::bigint as count`
  const whole = sql`${cells} and c.scope_id = ${wholeDeployment}`
  if (!scopes) return db.query(sql`${sums} from (${whole}) cell group by triage_state, severity`)
  return db.query(sql`with own as materialized (${scopes}), narrowed as materialized (
      select exists (select 1 from issue_scope s where s.deployment_id = ${db.deploymentId}
        and s.id not in (select own.scope_id from own)) as narrowed)
    ${sums} from (
      ${whole} and not (select narrowed from narrowed)
      union all ${cells} and c.scope_id in (select own.scope_id from own) and (select narrowed from narrowed)) cell
    group by triage_state, severity`)
}

/** How many cells that are not empty, and how many issues in them; for the actor, and in the deployment. */
export type Extent = { cells: number; issues: number; all_cells: number; all_issues: number }

/** Cells beyond which it makes no difference how many there are. */
const manyCells = 5_000

export async function extent(db: Queryable, wanted: IssueCriteria, scopes: Sql): Promise<Extent> {
  const cells = sql`select c.count from issue_count c
    where c.deployment_id = ${db.deploymentId} and c.count > 0 ${inCells(sql`c`, wanted)}`
  const sums = sql`select count(*) as cells, coalesce(sum(count), 0)::bigint as issues`
  const [row] = await db.query<Extent>(sql`
    select own.cells, own.issues, whole.cells as all_cells, whole.issues as all_issues
    from (${sums} from (${cells} and c.scope_id in (${scopes}) limit ${manyCells}) c) own,
      (${sums} from (${cells} and c.scope_id = ${wholeDeployment}) c) whole`)
  return row!
}

export type Miscount = CountCell & { kept: number; counted: number }

/** Cells whose counter is not what a recount of the issues says. */
export function miscounts(db: Queryable, limit: number): Promise<Miscount[]> {
  return db.query(sql`${counted(db)}
    select scope_id, ${cell}, coalesce(kept, 0) as kept, coalesce(counted, 0) as counted
    from recount full join kept using (scope_id, ${cell})
    where coalesce(kept, 0) <> coalesce(counted, 0) order by scope_id, ${cell} limit ${limit}`)
}

/**
 * Makes the counters what a recount says, and answers how many were not. By the difference, so that what others add meanwhile
 * stays: a statement sees issues and counters as of the same moment.
 */
export async function rebuildCounters(tx: Transaction): Promise<number> {
  const rows = await tx.query(sql`${counted(tx)}
    insert into issue_count as c (deployment_id, scope_id, ${cell}, count)
    select ${tx.deploymentId}::bigint, scope_id, ${cell}, coalesce(counted, 0) - coalesce(kept, 0)
    from recount full join kept using (scope_id, ${cell})
    where coalesce(kept, 0) <> coalesce(counted, 0) order by scope_id, ${cell}
    on conflict (deployment_id, scope_id, ${cell}) do update set count = c.count + excluded.count returning 1`)
  return rows.length
}

const cell = sql`triage_state, triage_reason, severity`

function counted(db: Queryable): Sql {
  return sql`with recount as (
      select scope_id, ${cell}, count(*) as counted from issue where deployment_id = ${db.deploymentId} group by scope_id, ${cell}
      union all
      select ${wholeDeployment}::bigint, ${cell}, count(*) from issue where deployment_id = ${db.deploymentId} group by ${cell}
    ), kept as (
      select scope_id, ${cell}, count as kept from issue_count where deployment_id = ${db.deploymentId} and count <> 0)`
}
