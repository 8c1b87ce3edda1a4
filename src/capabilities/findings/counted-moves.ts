import sql, { type Sql } from 'sql-template-tag'
import { stateIs } from '../../domain/finding-sql.ts'

/** Where a finding is counted: as what in reports, and as what in the counts of a search. */
export type Place = { rule_id: number; category: number; cell: number; kind: number }
/** This many findings of a repository, raised on a day, that are counted elsewhere from now on. */
export type Move = {
  repository_id: number
  day: Date
  count: number
  from: Place | null
  to: Place | null
  change?: StateChange
}
/** On which day a state changed, and what that is for fixes that trends count: one now, and none on a former day any more. */
export type StateChange = { on: Date; fixes: boolean; formerFixOn: Date | null }
/** By how many more findings stand on branches of a repository from a day on. */
export type StoodRow = { repository_id: number; day: Date; change: number }

/** What searches count a finding `f` as. */
export const kindOf: Sql = sql`finding_kind(f.state, f.severity, f.product, f.pull_request)`

const places: Sql = sql`changed.repository_id, date_trunc('day', changed.raised_at, 'UTC') as day,
    former.rule_id as from_rule, former.category as from_category, former.cell as from_cell, former.kind as from_kind,
    changed.rule_id as to_rule, changed.category as to_category, changed.cell as to_cell, changed.kind as to_kind`

/** What `former` and `changed` of a statement mean for the counters. */
export const moves: Sql = sql`select ${places}, count(*) as count
  from changed join former on former.id = changed.id group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`

/** The same where states changed. */
export const stateMoves: Sql = sql`select ${places}, date_trunc('day', changed.state_at, 'UTC') as changed_on, changed.fixes,
    former.fix_on as former_fix_on, count(*) as count
  from changed join former on former.id = changed.id group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13`

/** Whether a finding `f` is a fix that trends count. */
export const isFix: Sql = sql`f.pull_request = 0 and not f.duplicate and f.state = ${stateIs.fixed} and f.fixed_at is not null`

export type MoveRow = {
  repository_id: number
  day: Date
  count: number
  from_rule: number
  from_category: number
  from_cell: number
  from_kind: number
  to_rule: number
  to_category: number
  to_cell: number
  to_kind: number
}

export function toMove(row: MoveRow): Move {
  const from: Place = { rule_id: row.from_rule, category: row.from_category, cell: row.from_cell, kind: row.from_kind }
  const to: Place = { rule_id: row.to_rule, category: row.to_category, cell: row.to_cell, kind: row.to_kind }
  return { repository_id: row.repository_id, day: row.day, count: row.count, from, to }
}

export type StateMoveRow = MoveRow & { changed_on: Date; fixes: boolean; former_fix_on: Date | null }

export function toStateMove(row: StateMoveRow): Move {
  return { ...toMove(row), change: { on: row.changed_on, fixes: row.fixes, formerFixOn: row.former_fix_on } }
}
