import sql, { empty, type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

export async function markEnded(tx: Transaction, repositoryId: number, pullRequest: number): Promise<void> {
  await tx.query(sql`update finding_stream s set ended_at = statement_timestamp()
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
      and s.pull_request > 0 and s.ended_at is null`)
}

/** What stands open in a pull request. */
export async function listOpen(tx: Transaction, repositoryId: number, pullRequest: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`select f.id from finding_stream s
    cross join lateral (select f.id from finding f
      where f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <= 4 offset 0) f
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
    order by f.id`)
  return rows.map((row) => row.id)
}

type PullRequest = { repository_id: number; pull_request: number }

/** Pull requests that nobody ended, and that no source has told of for this many days. */
export function listForgotten(db: Queryable, days: number, limit: number): Promise<PullRequest[]> {
  return db.query(sql`${forgotten(db, days, empty)} order by s.repository_id, s.pull_request limit ${limit}`)
}

export async function isForgotten(
  tx: Transaction,
  repositoryId: number,
  pullRequest: number,
  days: number,
): Promise<boolean> {
  const one = sql`and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}`
  return (await tx.query(forgotten(tx, days, one))).length > 0
}

function forgotten(db: Queryable, days: number, which: Sql): Sql {
  return sql`select s.repository_id, s.pull_request from finding_stream s
    where s.deployment_id = ${db.deploymentId} and s.pull_request > 0 and s.ended_at is null ${which}
    group by s.repository_id, s.pull_request
    having max(s.observed_at) < statement_timestamp() - make_interval(days => ${days})`
}

type Merge = { repositoryId: number; ref: string; commits: readonly string[]; pullRequests: readonly number[] }

export type ListMerged = typeof listMerged

/** Pull requests to a branch that are in it by now: those named, and those whose last scan was of one of the commits. */
export async function listMerged(
  db: Queryable,
  { repositoryId, ref, commits, pullRequests }: Merge,
): Promise<number[]> {
  if (commits.length + pullRequests.length === 0) return []
  const rows = await db.query<{ pull_request: number }>(sql`select distinct s.pull_request from finding_stream s
    cross join lateral (select scan.commit from scan where scan.deployment_id = s.deployment_id and scan.id = s.scan_id
      and scan.base_ref = ${ref} offset 0) scan
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request > 0
      and s.ended_at is null and (scan.commit = any(${commits}::text[]) or s.pull_request = any(${pullRequests}::integer[]))
    order by s.pull_request`)
  return rows.map((row) => row.pull_request)
}
