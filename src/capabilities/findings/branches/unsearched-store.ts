import sql from 'sql-template-tag'
import { standsUndecided, stateIs } from '../../../domain/finding-sql.ts'
import { plainArray } from '../../../kernel/database/array-literal.ts'
import type { Transaction } from '../../../kernel/database/database.ts'

/**
 * Of these, what stands undecided and never ended for this reason before. What came back since was still there: jobs that look at
 * parts of a repository take turns, and would end and open it again with every run.
 */
export async function listEnding(tx: Transaction, ids: readonly number[], why: string): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`select f.id from unnest(${plainArray(ids)}::bigint[]) as given (id)
    cross join lateral (select f.id from finding f where f.deployment_id = ${tx.deploymentId} and f.id = given.id
      and ${standsUndecided} and not exists (select from finding_history h where h.deployment_id = ${tx.deploymentId}
        and h.finding_id = f.id and h.to_state = ${stateIs.ended} and h.note = ${why}) offset 0) f
    order by f.id`)
  return rows.map((row) => row.id)
}
