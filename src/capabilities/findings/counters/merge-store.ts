import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

/** In place of a repository. */
export const wholeDeployment = 0

/** The repositories whose counters the oldest changes are about. */
export async function listChanged(db: Queryable, most: number): Promise<number[]> {
  const rows = await db.query<{ repository_id: number }>(sql`
    select c.repository_id from (select c.repository_id from finding_count c
      where c.deployment_id = ${db.deploymentId} and not c.merged order by c.id limit ${most}) c
    union
    select t.repository_id from (select t.repository_id from finding_tally t
      where t.deployment_id = ${db.deploymentId} and not t.merged order by t.id limit ${most}) t
    union
    select d.repository_id from (select d.repository_id from finding_day d
      where d.deployment_id = ${db.deploymentId} and not d.merged order by d.id limit ${most}) d`)
  return rows.map((row) => row.repository_id)
}

/**
 * One merge of a deployment at a time. A second one would not see the row that the first one leaves, and leave
 * another one of the same counter: right in its sum, but for good.
 */
export async function lockMerging(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('findings.counters', ${tx.deploymentId}::bigint))`)
}

/** How many counters were merged. Changes of other repositories stay as they are. */
export async function merge(tx: Transaction, repositories: readonly number[], most: number): Promise<number> {
  const [row] = await tx.query<{ merged: number }>(sql`select
    merge_finding_counts(${tx.deploymentId}::bigint, ${repositories}::bigint[], ${most}::integer)
    + merge_finding_tallies(${tx.deploymentId}::bigint, ${repositories}::bigint[], ${most}::integer)
    + merge_finding_days(${tx.deploymentId}::bigint, ${repositories}::bigint[], ${most}::integer) as merged`)
  return row!.merged
}
