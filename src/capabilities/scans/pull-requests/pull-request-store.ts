import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { isStanding, openInPullRequest } from '../../findings/public.ts'
import { visibleTo } from '../../repositories/public.ts'
import { isLastOfPullRequest } from './last-scan.ts'
import type { PullRequestQuery } from './pull-request-contract.ts'

export type PullRequestRow = {
  /** Of its last scan. */
  id: number
  repository_id: number
  repository: string
  pull_request: number
  ref: string
  base_ref: string
  commit: string
  blocked: boolean
  not_compared: string[]
  over: boolean
  open: number
  shown: number
  scans: number
  at: Date
}

/** The last scan of each, newest first. */
export function listLast(
  db: Queryable,
  actor: Actor,
  query: PullRequestQuery,
  page: PageRequest,
): Promise<PullRequestRow[]> {
  const last = sql`select s.id, s.repository_id, s.pull_request, s.ref, s.base_ref, s.commit, s.blocked,
      coalesce(s.performed_at, s.created_at) as at
    from scan s where ${isLast(db, actor, query)} ${page.after > 0 ? sql`and s.id < ${page.after}` : empty}
    order by s.id desc limit ${page.size + 1}`
  return db.query(sql`select p.*, r.name as repository, counted.open, counted.shown, told.scans, receipt.not_compared,
      not ${isStanding(db.deploymentId, sql`p.repository_id`, sql`p.pull_request`)} as over
    from (${last}) p
    cross join lateral (select r.name from repository r
      where r.deployment_id = ${db.deploymentId} and r.id = p.repository_id offset 0) r
    cross join lateral (select coalesce(s.receipt->'notCompared', '[]') as not_compared from scan s
      where s.deployment_id = ${db.deploymentId} and s.id = p.id offset 0) receipt
    cross join lateral (${openInPullRequest(db.deploymentId, sql`p.repository_id`, sql`p.pull_request`)}) counted
    cross join lateral (select count(*) as scans from scan s where s.deployment_id = ${db.deploymentId}
      and s.repository_id = p.repository_id and s.pull_request = p.pull_request and s.pull_request > 0) told
    order by p.id desc`)
}

export async function isScanned(db: Queryable, repositoryId: number, pullRequest: number): Promise<boolean> {
  const rows = await db.query(sql`select from scan s where s.deployment_id = ${db.deploymentId}
    and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest} and s.pull_request > 0 limit 1`)
  return rows.length > 0
}

export async function countLast(db: Queryable, actor: Actor, query: PullRequestQuery): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*) as count from scan s where ${isLast(db, actor, query)}`,
  )
  return row!.count
}

function isLast(db: Queryable, actor: Actor, { repositoryId, pullRequest, ...state }: PullRequestQuery): Sql {
  return sql`s.deployment_id = ${db.deploymentId} and ${visibleTo(actor, sql`s.repository_id`)}
    ${repositoryId === undefined ? empty : sql`and s.repository_id = ${repositoryId}`}
    ${pullRequest === undefined ? empty : sql`and s.pull_request = ${pullRequest}`}
    and ${isLastOfPullRequest(db.deploymentId, state)}`
}
