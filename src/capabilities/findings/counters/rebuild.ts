import sql, { join, raw } from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { remarkDuplicates } from '../ingest/duplicate-store.ts'
import { rebuildDays } from './day-recount.ts'
import { columns, countedKinds, countedReports, key, nothing, recountThings } from './recount.ts'

const mostThings = 1_000_000

/**
 * Makes the counters what a recount of the findings says, and answers how many were not. What is missing is inserted as one more
 * change, so others go on counting meanwhile: a statement sees findings and counters as of the same moment.
 */
export async function rebuildCounters(tx: Transaction): Promise<number> {
  const remarked = await remark(tx)
  const kinds = await tx.query(sql`${countedKinds(tx)}
    insert into finding_tally (deployment_id, repository_id, kind, number)
    select ${tx.deploymentId}::bigint, repository_id, kind, coalesce(counted, 0) - coalesce(kept, 0)
    from counted full join kept using (repository_id, kind) where coalesce(kept, 0) <> coalesce(counted, 0) returning 1`)
  const differences = columns.map((_, at) => raw(`counted[${at + 1}] - kept[${at + 1}]`))
  const reports = await tx.query(sql`${countedReports(tx)}
    insert into finding_count (deployment_id, ${key}, ${join(columns.map((name) => raw(name)))})
    select ${tx.deploymentId}::bigint, ${key}, ${join(differences)}
    from (select ${key}, coalesce(kept, ${nothing}) as kept, coalesce(counted, ${nothing}) as counted
      from counted full join kept using (${key})) both_sides
    where kept <> counted returning 1`)
  return remarked + kinds.length + reports.length + (await rebuildDays(tx))
}

/** Which one of what stands on several branches counts, where that was not settled. */
async function remark(tx: Transaction): Promise<number> {
  const wrong = await recountThings(tx, mostThings)
  const repositoryIds = [...new Set(wrong.map((one) => one.repository_id))]
  if (repositoryIds.length === 0) return 0
  await tx.query(sql`select from repository where deployment_id = ${tx.deploymentId} and id = any(${repositoryIds}::bigint[])
    order by id for update`)
  const standing = await tx.query<{ id: number }>(sql`select id from finding
    where deployment_id = ${tx.deploymentId} and repository_id = any(${repositoryIds}::bigint[]) and pull_request = 0`)
  const { moves } = await remarkDuplicates(
    tx,
    repositoryIds,
    standing.map(({ id }) => id),
  )
  return moves.reduce((sum, { count }) => sum + count, 0)
}
