import sql, { type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { kindOf, type MoveRow, moves, type StoodRow } from '../counted-moves.ts'
import { firstState, stoodMore } from '../counters/stood.ts'

/** Those of the repositories that a source reports on several branches. */
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
 * so their version stays. Answers what is counted elsewhere now, and what that means for the backlog of the past.
 */
export async function remarkDuplicates(
  tx: Transaction,
  repositoryIds: readonly number[],
  ids: readonly number[],
): Promise<{ moves: MoveRow[]; stood: StoodRow[] }> {
  const rows: RemarkedRow[] = []
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    rows.push(...(await remarkSome(tx, repositoryIds, ids.slice(from, from + mostAtOnce))))
  }
  return { moves: rows.filter(isMove), stood: rows.filter((row) => !isMove(row)) }
}

/** One statement tells of both: a change of the backlog is of no place. */
type RemarkedRow = MoveRow | (StoodRow & { [Column in Exclude<keyof MoveRow, keyof StoodRow>]: null })

function isMove(row: RemarkedRow): row is MoveRow {
  return row.count !== null
}

function remarkSome(tx: Transaction, repositoryIds: readonly number[], ids: readonly number[]): Promise<RemarkedRow[]> {
  // As an array, because a planner that takes them for one or two compares every finding with each of them.
  const isMismarked = sql`f.deployment_id = ${tx.deploymentId} and f.id = any(array(select id from mismarked))`
  return tx.query(sql`with ${standingLike(tx.deploymentId, repositoryIds, ids)}, mismarked as materialized (
      select id from (
        select id, duplicate, row_number() over (partition by repository_id, source, thing, code, number
          order by state = ${stateIs.provisionallyIgnored}, not is_default, id) > 1 as is_duplicate
        from standing) ranked
      where is_duplicate <> duplicate
    ), former as materialized (
      select f.id, f.rule_id, f.category, f.cell, ${kindOf} as kind, ${firstState(tx.deploymentId)} as first_state from finding f
      where ${isMismarked}
    ), changed as (
      update finding f set duplicate = not f.duplicate where ${isMismarked}
      returning f.id, f.repository_id, f.rule_id, f.category, f.cell, ${kindOf} as kind, f.raised_at,
        case when f.duplicate then -1 else 1 end as sign
    )
    select moved.*, null::integer as change from (${moves}) moved
    union all
    select repository_id, day, ${noPlace}, null, sum(change)::integer from (${steps(tx.deploymentId)}) step
    group by repository_id, day having sum(change) <> 0`)
}

/** For the columns of a move's two places. */
const noPlace: Sql = sql`null, null, null, null, null, null, null, null`

/** All that happened to findings that were marked leaves the backlog of the past, and comes back with those that are no longer. */
function steps(deploymentId: number): Sql {
  return sql`select changed.repository_id, date_trunc('day', changed.raised_at, 'UTC') as day, changed.sign as change
      from changed join former on former.id = changed.id where former.first_state <= ${stateIs.provisionallyIgnored}
      union all
      select changed.repository_id, date_trunc('day', h.at, 'UTC'), changed.sign * h.change
      from changed cross join lateral (select h.at, ${stoodMore} as change from finding_history h
        where h.deployment_id = ${deploymentId} and h.finding_id = changed.id offset 0) h`
}

/**
 * Everything `standing` that is the same `thing` as one of the findings with these ids. A look into an index for each, whatever
 * the planner believes about tables that nobody has analysed yet. Its bounds are worked out before it: under row-level security
 * PostgreSQL 15 looks into no index for what `||` makes.
 */
function standingLike(deploymentId: number, repositoryIds: readonly number[], ids: readonly number[]): Sql {
  return sql`${thingsOf(deploymentId, repositoryIds, ids)}, standing as materialized (
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

/** `thing`: what the findings on branches with these ids are about, and the bounds of the fingerprints that others like them have. */
export function thingsOf(deploymentId: number, repositoryIds: readonly number[], ids: readonly number[]): Sql {
  return sql`thing as materialized (
      select distinct f.repository_id, s.source, finding_thing(f.fingerprint) as thing,
        finding_thing(f.fingerprint) || ';' as after
      from unnest(${ids}::bigint[]) as given (id)
      cross join lateral (select f.repository_id, f.stream_id, f.fingerprint from finding f
        where f.deployment_id = ${deploymentId} and f.id = given.id and f.pull_request = 0 offset 0) f
      cross join lateral (select s.source from finding_stream s
        where s.deployment_id = ${deploymentId} and s.id = f.stream_id offset 0) s
      where f.repository_id = any(${repositoryIds}::bigint[])
    )`
}
