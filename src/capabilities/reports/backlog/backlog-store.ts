import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { cellsOfStage } from '../counting/cell.ts'
import type { CountedSet } from '../counting/parts.ts'
import { selectFindings } from '../counting/selection.ts'
import { among, wayFor } from '../lists/list-store.ts'

/** `product` as in a cell. */
export type BacklogRow = { product: number; severity: number; rule: string; count: number }

export function countBacklog(db: Queryable, wanted: CountedSet, period: Period): Promise<BacklogRow[]> {
  const columns = sql`(f.cell >> 3) & 3 as product, f.severity, f.rule_id`
  return db.query(sql`select kind.product, kind.severity, rule.external_id as rule, sum(kind.count)::bigint as count
    from (
      select f.product, f.severity, f.rule_id, count(*) as count from (${standing(db, wanted, period, columns)}) f
      group by f.product, f.severity, f.rule_id) kind
    join finding_rule rule on rule.deployment_id = ${db.deploymentId} and rule.id = kind.rule_id
    group by kind.product, kind.severity, rule.external_id`)
}

/** When the one in the middle of so many was raised; where two are, both. */
export async function findMiddle(db: Queryable, wanted: CountedSet, period: Period, total: number): Promise<Date[]> {
  const findings = standing(db, wanted, period, sql`f.raised_at`)
  const rows = await db.query<{ raised_at: Date }>(sql`select f.raised_at from (${findings}) f order by f.raised_at
    offset ${Math.floor((total - 1) / 2)} limit ${total % 2 === 1 ? 1 : 2}`)
  return rows.map((row) => row.raised_at)
}

function standing(db: Queryable, wanted: CountedSet, period: Period, columns: ReturnType<typeof sql>) {
  const selection = { ...among(wanted), categories: wanted.categories, by: wayFor(wanted) }
  const conditions = sql`and (f.cell = any(${cellsOfStage('allFindings')}::smallint[])) is true`
  return selectFindings(db.deploymentId, selection, [period], columns, { conditions })
}
