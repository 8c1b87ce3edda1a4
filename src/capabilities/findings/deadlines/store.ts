import sql, { join, raw, type Sql } from 'sql-template-tag'
import { severity } from '../../../domain/finding-codes.ts'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { FindingDeadlines } from './contract.ts'

export type DeadlineRow = FindingDeadlines & { version: number }

const columns = sql`critical, high, medium, low, info, version`
export const graded = (['critical', 'high', 'medium', 'low', 'info'] as const).map((word) => ({
  code: raw(String(severity.code(word))),
  days: raw(word),
}))

export async function find(db: Queryable): Promise<DeadlineRow | undefined> {
  const [row] = await db.query<DeadlineRow>(
    sql`select ${columns} from finding_deadline where deployment_id = ${db.deploymentId}`,
  )
  return row
}

/** There is one from now on, and nobody else changes it before the transaction ends. */
export async function lock(tx: Transaction): Promise<DeadlineRow> {
  await tx.query(sql`insert into finding_deadline (deployment_id) values (${tx.deploymentId}) on conflict do nothing`)
  const [row] = await tx.query<DeadlineRow>(
    sql`select ${columns} from finding_deadline where deployment_id = ${tx.deploymentId} for update`,
  )
  return row!
}

export async function update(tx: Transaction, to: FindingDeadlines): Promise<DeadlineRow> {
  const [row] = await tx.query<DeadlineRow>(sql`update finding_deadline set critical = ${to.critical},
      high = ${to.high}, medium = ${to.medium}, low = ${to.low}, info = ${to.info}, version = version + 1
    where deployment_id = ${tx.deploymentId} returning ${columns}`)
  return row!
}

/** What stands on a branch, and is still to be done. */
const canBeDue = sql`f.pull_request = 0 and f.state <= ${stateIs.lastOpen}`

/** The days that a finding (`f`) has, as `days`. A day has 24 hours, whatever a time zone makes of it. Each limit is read once. */
export function daysOfFinding(deploymentId: number): Sql {
  const days = graded.map(
    (one) =>
      sql`when ${one.code} then (select d.${one.days} from finding_deadline d where d.deployment_id = ${deploymentId})`,
  )
  return sql`(select case when ${canBeDue} then case f.severity ${join(days, ' ')} end end as days)`
}

/** Whether a finding (`f`) stands longer than it may. Each limit is read once, so that an index finds what is older. */
export function isOverdue(deploymentId: number): Sql {
  const older = graded.map(
    ({ code, days }) => sql`f.severity = ${code} and f.raised_at < (select now() - d.${days} * interval '24 hours'
      from finding_deadline d where d.deployment_id = ${deploymentId})`,
  )
  return sql`(${canBeDue} and (${join(older, ' or ')}))`
}
