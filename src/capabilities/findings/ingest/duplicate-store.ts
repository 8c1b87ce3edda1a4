import sql, { type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { kindOf, type MoveRow, moves, type StoodRow } from '../counted-moves.ts'
import { firstState, stoodMore } from '../counters/stood.ts'

/** Those of the repositories that a source tells of on several branches. */
export async function listWithSeveralRefs(tx: Transaction, repositoryIds: readonly number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`select distinct s.repository_id as id from finding_stream s
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = any(${repositoryIds}::bigint[]) and s.pull_request = 0
    group by s.repository_id, s.source having count(*) > 1`)
  return rows.map((row) => row.id)
}

/** A look into indexes for each: of a large log they would take longer together than a statement may. */
const mostAtOnce = 5_000

/**
 * Of what stands on several branches one is counted: an open one rather than one that is provisionally ignored, and that of
 * the default branch rather than another. Findings that are equal in all but their place are told apart by their number.
 * Marks those the other way that the findings with these ids are about and that are marked the wrong way. Nothing of it is shown,
 * so their version stays. Answers what is counted elsewhere now.
 */
export async function remarkDuplicates(
  tx: Transaction,
  repositoryIds: readonly number[],
  ids: readonly number[],
): Promise<MoveRow[]> {
  const moved: MoveRow[] = []
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    moved.push(...(await remarkSome(tx, repositoryIds, ids.slice(from, from + mostAtOnce))))
  }
  return moved
}

function remarkSome(tx: Transaction, repositoryIds: readonly number[], ids: readonly number[]): Promise<MoveRow[]> {
  // As an array, because a planner that takes them for one or two compares every finding with each of them.
  const isMismarked = sql`f.deployment_id = ${tx.deploymentId} and f.id = any(array(select id from mismarked))`
  return tx.query(sql`with ${standingLike(tx.deploymentId, repositoryIds, ids)}, mismarked as materialized (
      select id from (
        select id, duplicate, row_number() over (partition by repository_id, source, thing, code, number
          order by state = ${stateIs.provisionallyIgnored}, not is_default, id) > 1 as is_duplicate
        from standing) ranked
      where is_duplicate <> duplicate
    ), former as materialized (
      select f.id, f.rule_id, f.category, f.cell, ${kindOf} as kind from finding f where ${isMismarked}
    ), changed as (
      update finding f set duplicate = not f.duplicate where ${isMismarked}
      returning f.id, f.repository_id, f.rule_id, f.category, f.cell, ${kindOf} as kind, f.raised_at
    ) ${moves}`)
}

/**
 * Everything `standing` that is the same `thing` as one of the findings with these ids. A look into an index for each, whatever
 * the planner believes about tables that nobody has analysed yet. Its bounds are worked out before it: under row-level security
 * PostgreSQL 15 looks into no index for what `||` makes.
 */
function standingLike(deploymentId: number, repositoryIds: readonly number[], ids: readonly number[]): Sql {
  return sql`thing as materialized (
      select distinct f.repository_id, s.source, finding_thing(f.fingerprint) as thing,
        finding_thing(f.fingerprint) || ';' as after
      from unnest(${ids}::bigint[]) as given (id)
      cross join lateral (select f.repository_id, f.stream_id, f.fingerprint from finding f
        where f.deployment_id = ${deploymentId} and f.id = given.id and f.pull_request = 0 offset 0) f
      cross join lateral (select s.source from finding_stream s
        where s.deployment_id = ${deploymentId} and s.id = f.stream_id offset 0) s
      where f.repository_id = any(${repositoryIds}::bigint[])
    ), standing as materialized (
      select thing.repository_id, thing.source, thing.thing, f.id, f.state, f.duplicate, f.code, s.is_default,
        row_number() over (partition by s.id, thing.thing, f.code order by f.state = ${stateIs.provisionallyIgnored}, f.id) as number
      from thing
      cross join lateral (select s.id, s.ref = r.default_branch as is_default
        from finding_stream s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id
        where s.deployment_id = ${deploymentId} and s.repository_id = thing.repository_id and s.pull_request = 0
          and s.source = thing.source offset 0) s
      cross join lateral (select f.id, f.state, f.duplicate, finding_code(f.context) as code from finding f
        where f.deployment_id = ${deploymentId} and f.stream_id = s.id and f.fingerprint >= thing.thing
          and f.fingerprint < thing.after and finding_thing(f.fingerprint) = thing.thing and f.state <= 5 offset 0) f
    )`
}

/** The same, with what it means for the backlog of the past. */
export async function flipWithHistory(
  tx: Transaction,
  ids: readonly number[],
): Promise<{ moves: MoveRow[]; stood: StoodRow[] }> {
  const flipped: { moves: MoveRow[]; stood: StoodRow[] } = { moves: [], stood: [] }
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    const some = ids.slice(from, from + mostAtOnce)
    // One after the other, in one round trip: the history is read of those that are marked by then.
    const [moved, stood] = await Promise.all([flipSome(tx, some), listStood(tx, some)])
    flipped.moves.push(...moved)
    flipped.stood.push(...stood)
  }
  return flipped
}

/** All that happened to findings that were marked leaves the backlog of the past, and comes back with those that are no longer. */
function listStood(tx: Transaction, ids: readonly number[]): Promise<StoodRow[]> {
  return tx.query(sql`with marked as materialized (
      select f.id, f.repository_id, f.raised_at, ${firstState} as first_state, case when f.duplicate then -1 else 1 end as sign
      from unnest(${ids}::bigint[]) as given (id)
      cross join lateral (select f.* from finding f where f.deployment_id = ${tx.deploymentId} and f.id = given.id offset 0) f
    )
    select repository_id, day, sum(change)::integer as change from (
      select repository_id, date_trunc('day', raised_at, 'UTC') as day, sign as change
      from marked where first_state <= ${stateIs.provisionallyIgnored}
      union all
      select marked.repository_id, date_trunc('day', h.at, 'UTC'), marked.sign * h.change
      from marked cross join lateral (select h.at, ${stoodMore} as change from finding_history h
        where h.deployment_id = ${tx.deploymentId} and h.finding_id = marked.id offset 0) h) step
    group by repository_id, day having sum(change) <> 0`)
}
