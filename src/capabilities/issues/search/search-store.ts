import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { columnsFor, type IssueRow } from '../store.ts'
import type { SearchPlan } from './choose-plan.ts'
import { beyondCells, type IssueCriteria, inCells } from './conditions.ts'

export type Order = { by: 'createdAt' | 'lastDetectedAt' | 'severity'; direction: 'asc' | 'desc' }

/** Where the page before ended. */
export type Position = { severity: number; at: Date; id: number }

export type Range = {
  order: Order
  after: Position | undefined
  /** Undefined: all. */
  scopes: Sql | undefined
  way: SearchPlan
  /** At least this many, if there are. */
  limit: number
}

/**
 * The first issues after a position. Each cell that the counters know is read in the order of its index and no further
 * than a page, and what comes first of all of them is the page: the price is the number of cells, not of issues.
 * By 'walk' the cells are those of the deployment, and issues of other scopes are passed over; by 'gather' they are those
 * of each scope.
 */
export function search(
  db: Queryable,
  actor: Actor,
  wanted: IssueCriteria,
  { order, after, scopes, way, limit }: Range,
): Promise<IssueRow[]> {
  const rows = atLeast(limit)
  const gather = scopes && way === 'gather'
  const cells = gather ? sql`cell.scope_id in (${scopes})` : sql`cell.scope_id = 0`
  // 'is true' keeps the planner from turning it into a join: the scopes are hashed once and each row looks itself up.
  const passed = scopes ? sql`and (i.scope_id in (${scopes})) is true` : empty
  const inScope = gather ? sql`and i.scope_id = cell.scope_id` : passed
  return db.query(sql`select ${columnsFor(actor)} from (
      select hit.id from issue_count cell cross join lateral (
        select i.id, i.severity, i.created_at, i.last_detected_at from issue i
        where i.deployment_id = ${db.deploymentId} and i.triage_state = cell.triage_state
          and i.triage_reason = cell.triage_reason and i.severity = cell.severity ${inScope}
          ${past(after, order)} ${beyondCells(actor.deploymentId, wanted)}
        order by ${ranks(sql`i`, order)} limit ${rows}) hit
      where cell.deployment_id = ${db.deploymentId} and ${cells} and cell.count > 0 ${inCells(sql`cell`, wanted)}
      order by ${ranks(sql`hit`, order)} limit ${rows}) page
    join issue i on i.deployment_id = ${db.deploymentId} and i.id = page.id
    order by ${ranks(sql`i`, order)}`)
}

const limits = [11, 51, 101].map((count) => ({ count, literal: raw(String(count)) }))

/**
 * At least this many, as one of a few numbers that are part of the statement: for a limit that it does not know PostgreSQL
 * expects a tenth of all rows, takes no general plan to be good enough, and plans every single time.
 */
function atLeast(count: number): Sql {
  const limit = limits.find((each) => each.count >= count)
  if (!limit) throw new Error(`pages of ${count} are not read`)
  return limit.literal
}

const columns = {
  createdAt: [sql`created_at`],
  lastDetectedAt: [sql`last_detected_at`],
  severity: [sql`severity`, sql`created_at`],
}

function ranks(row: Sql, { by, direction }: Order): Sql {
  const way = direction === 'asc' ? sql`asc` : sql`desc`
  const [first, second] = columns[by]
  const then = second ? sql`${row}.${second} ${way},` : empty
  return sql`${row}.${first!} ${way}, ${then} ${row}.id ${way}`
}

function past(after: Position | undefined, { by, direction }: Order): Sql {
  if (!after) return empty
  const beyond = direction === 'asc' ? sql`>` : sql`<`
  if (by === 'severity') {
    return sql`and (i.severity, i.created_at, i.id) ${beyond} (${after.severity}::smallint, ${after.at}, ${after.id})`
  }
  return sql`and (i.${columns[by][0]!}, i.id) ${beyond} (${after.at}, ${after.id})`
}
