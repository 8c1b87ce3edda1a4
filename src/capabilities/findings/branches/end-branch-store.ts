import sql, { empty, type Sql } from 'sql-template-tag'
import { standsUndecided } from '../../../domain/finding-sql.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

export async function markEnded(tx: Transaction, repositoryId: number, ref: string): Promise<void> {
  await tx.query(sql`update finding_stream s set ended_at = statement_timestamp()
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0
      and s.ref = ${ref} and s.ended_at is null`)
}

/** Of these, the branches that were scanned for findings and are not over. */
export async function standingBranches(
  tx: Transaction,
  repositoryId: number,
  refs: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ ref: string }>(sql`select distinct s.ref from finding_stream s
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0
      and s.ref = any(${refs}::text[]) and s.ended_at is null
    order by s.ref`)
  return rows.map((row) => row.ref)
}

/** What stands on a branch, but for what people ignore for the time being: a decision outlives its branch. */
export async function listUndecided(tx: Transaction, repositoryId: number, ref: string): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`select f.id from finding_stream s
    cross join lateral (select f.id from finding f where f.deployment_id = s.deployment_id and f.stream_id = s.id
      and ${standsUndecided} offset 0) f
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0 and s.ref = ${ref}
    order by f.id`)
  return rows.map((row) => row.id)
}

type Branch = { repository_id: number; ref: string }

/**
 * Branches that nobody ended, and that were not scanned for so many days, not even by a tool that failed. Neither default branches nor
 * tags are among them.
 */
export function listForgotten(db: Queryable, days: number, limit: number): Promise<Branch[]> {
  return db.query(sql`${forgotten(db, days, empty)} order by s.repository_id, s.ref limit ${limit}`)
}

export async function isForgotten(tx: Transaction, repositoryId: number, ref: string, days: number): Promise<boolean> {
  const one = sql`and s.repository_id = ${repositoryId} and s.ref = ${ref}`
  return (await tx.query(forgotten(tx, days, one))).length > 0
}

function forgotten(db: Queryable, days: number, which: Sql): Sql {
  return sql`select s.repository_id, s.ref from finding_stream s
    join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id and r.default_branch <> s.ref
    where s.deployment_id = ${db.deploymentId} and s.pull_request = 0 and s.ended_at is null and r.kind = 'code'
      and not starts_with(s.ref, 'refs/tags/') ${which}
    group by s.repository_id, s.ref
    having max(s.observed_at) < statement_timestamp() - make_interval(days => ${days})
      and not exists (select from (select coalesce(scan.performed_at, scan.created_at) as at from scan
          where scan.deployment_id = ${db.deploymentId} and scan.repository_id = s.repository_id and scan.ref = s.ref
            and scan.pull_request = 0 order by scan.id desc limit 1) last
        where last.at >= statement_timestamp() - make_interval(days => ${days}))`
}
