import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

/** What a sheet is of: a month of a repository or of a rule. */
export type RollupKey = { repository_id: number; rule_id: number; month: string }
export type RollupRow = RollupKey & { id: number; bytes: number }

/** The next sheets after one, oldest first. */
export function listRollups(db: Queryable, after: number, limit: number): Promise<RollupRow[]> {
  return db.query(sql`select s.id, s.repository_id, s.rule_id, s.month::text as month, octet_length(s.entries) as bytes
    from finding_sheet s where s.deployment_id = ${db.deploymentId} and s.id > ${after} order by s.id limit ${limit}`)
}

/** All sheets that are of the same as some, the smallest of each first. */
export function listAlike(db: Queryable, keys: readonly RollupKey[]): Promise<RollupRow[]> {
  return db.query(sql`select s.id, s.repository_id, s.rule_id, s.month::text as month, octet_length(s.entries) as bytes
    from (select distinct * from unnest(${keys.map((key) => key.repository_id)}::bigint[],
      ${keys.map((key) => key.rule_id)}::bigint[], ${keys.map((key) => key.month)}::date[])
      as t (repository_id, rule_id, month)) key
    join finding_sheet s on s.deployment_id = ${db.deploymentId} and s.repository_id = key.repository_id
      and s.rule_id = key.rule_id and s.month = key.month
    order by s.repository_id, s.rule_id, s.month, bytes, s.id`)
}

export async function mergeRollups(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query(sql`select merge_finding_sheets(${tx.deploymentId}::bigint, ${ids}::bigint[])`)
}
