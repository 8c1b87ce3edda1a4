import sql from 'sql-template-tag'
import { standsUndecided, stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

export type BranchStream = { id: number; ref: string }

/** What a source has told of the branches of a repository, the one that it told of last first. */
export function listBranchStreams(
  db: Queryable,
  { repositoryId, source }: { repositoryId: number; source: string },
): Promise<BranchStream[]> {
  return db.query(sql`select s.id, s.ref from finding_stream s where s.deployment_id = ${db.deploymentId}
    and s.repository_id = ${repositoryId} and s.pull_request = 0 and s.source = ${source}
    order by s.observed_at desc, s.id desc`)
}

/** Two streams of a source have different refs at any time, so the other one is of none in between. */
export async function exchangeRefs(tx: Transaction, one: BranchStream, other: BranchStream | undefined, ref: string) {
  const set = (id: number, to: string) =>
    tx.query(sql`update finding_stream s set ref = ${to} where s.deployment_id = ${tx.deploymentId} and s.id = ${id}`)
  await Promise.all([other && set(other.id, `${ref} `), set(one.id, ref), other && set(other.id, one.ref)])
}

/** What stands there, but for what people ignore: that is looked up where it is found again. */
export async function listUnsettled(tx: Transaction, streams: readonly BranchStream[]): Promise<number[]> {
  if (streams.length === 0) return []
  const streamIds = streams.map((one) => one.id)
  const rows = await tx.query<{ id: number }>(sql`select f.id from unnest(${streamIds}::bigint[]) as given (id)
    cross join lateral (select f.id from finding f where f.deployment_id = ${tx.deploymentId} and f.stream_id = given.id
      and ${standsUndecided} offset 0) f
    order by f.id`)
  return rows.map((row) => row.id)
}

/** What stands on a branch and is counted by what is the same on another one. */
export async function listDuplicates(tx: Transaction, repositoryId: number, ref: string): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`select f.id from finding_stream s
    cross join lateral (select f.id from finding f where f.deployment_id = ${tx.deploymentId} and f.stream_id = s.id
      and f.state <= ${stateIs.provisionallyIgnored} and f.duplicate offset 0) f
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0 and s.ref = ${ref}`)
  return rows.map((row) => row.id)
}
