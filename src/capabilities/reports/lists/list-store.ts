import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import type { CountedSet, Way } from '../counting/parts.ts'
import { selectFindings } from '../counting/selection.ts'

export type Position = { at: Date; id: number }
export type ListedRow = { id: number; raised_at: Date }

/** With more than these it is cheaper to walk through the findings of all. */
const mostLookups = 100

/** Findings of some cells that are wanted and were raised in a period, the last first. */
export function list(
  db: Queryable,
  wanted: CountedSet,
  cells: readonly number[],
  period: Period,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<ListedRow[]> {
  const past = after ? sql`and (f.raised_at, f.id) < (${after.at}, ${after.id})` : empty
  const conditions = sql`and (f.cell = any(${cells}::smallint[])) is true ${past}`
  const within = sql`order by f.raised_at desc, f.id desc limit ${limit}`
  const columns = sql`f.id, f.raised_at`
  const selection = { ...among(wanted), categories: wanted.categories, by: wayFor(wanted) }
  const findings = selectFindings(db.deploymentId, selection, [period], columns, { conditions, within })
  return db.query(sql`select f.id, f.raised_at from (${findings}) f ${within}`)
}

/** Exactly what is wanted, none of it as all but the others. */
export function among({ repositories, rules }: CountedSet) {
  return {
    repositories: repositories && { ids: repositories, among: true },
    rules: rules && { ids: rules, among: true },
  }
}

function wayFor({ repositories, rules }: CountedSet): Way {
  const [one, other] = [repositories?.length ?? Number.POSITIVE_INFINITY, rules?.length ?? Number.POSITIVE_INFINITY]
  if (Math.min(one, other) > mostLookups) return 'time'
  return one <= other ? 'repository' : 'rule'
}
