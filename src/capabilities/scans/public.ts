import sql from 'sql-template-tag'
import type { TriggerRepository } from '../../domain/trigger-event.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { inventories } from '../inventory/public.ts'
import { tagNames, visibleTo } from '../repositories/public.ts'

export { endDeletedBranches } from './branches/deleted-branches.ts'
export { blocksPullRequest } from './pull-requests/last-scan.ts'
export type { Completeness } from './reading/scan-request.ts'

export type LastScan = {
  id: number
  createdAt: Date
  ref: string
  pullRequest: number
  repository: TriggerRepository
}

/** The last scans of repositories that the actor sees, newest first. */
export function lastScans(db: Queryable, actor: Actor, count: number): Promise<LastScan[]> {
  return db.query(sql`select s.id, s.created_at as "createdAt", s.ref, s.pull_request as "pullRequest",
      jsonb_build_object('id', r.id, 'name', r.name, 'tags', ${tagNames}) as repository
    from scan s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id
    where s.deployment_id = ${db.deploymentId} and ${visibleTo(actor, sql`s.repository_id`)}
    order by s.id desc limit ${count}`)
}

/** What the inventory of a repository stands for, held until the transaction ends; undefined where there is none any more. */
export async function lockInventory(
  tx: Transaction,
  repositoryId: number,
): Promise<(TriggerRepository & { ref: string }) | undefined> {
  await tx.query(sql`select from repository r where r.deployment_id = ${tx.deploymentId} and r.id = ${repositoryId}
    for no key update of r`)
  // A statement of its own: it sees what was committed while the other one waited.
  const [row] = await tx.query<TriggerRepository & { ref: string }>(sql`select r.default_branch as ref, r.id, r.name,
      ${tagNames} as tags
    from ${inventories(tx.deploymentId)} i
    join repository r on r.deployment_id = ${tx.deploymentId} and r.id = i.repository_id
    where i.repository_id = ${repositoryId}`)
  return row
}

/** The branch that the inventory of a repository stands for, whichever it was scanned on. */
export async function inventoryRef(db: Queryable, repositoryId: number): Promise<string | undefined> {
  const [row] = await db.query<{ ref: string }>(sql`select r.default_branch as ref
    from ${inventories(db.deploymentId)} i
    join repository r on r.deployment_id = ${db.deploymentId} and r.id = i.repository_id
    where i.repository_id = ${repositoryId}`)
  return row?.ref
}

export type PullRequestScan = {
  id: number
  repository: string
  commit: string
  blocked: boolean
  /** When it was made, where that is not when it was uploaded: it was brought in from the past. */
  performedAt: Date | null
  blockedBy: { name: string }[]
  blockingFindings: { id: string; because: string[] }[]
  /** Path of the pull request's page in the console. */
  page: string
}

/** The last scan of a pull request. */
export async function lastPullRequestScan(
  db: Queryable,
  repositoryId: number,
  pullRequest: number,
): Promise<PullRequestScan | undefined> {
  const [row] = await db.query<PullRequestScan>(sql`select s.id, r.name as repository, s.commit, s.blocked,
      s.performed_at as "performedAt", coalesce(s.receipt->'blockedBy', '[]'::jsonb) as "blockedBy",
      coalesce(s.receipt->'blockingFindings', '[]'::jsonb) as "blockingFindings",
      '/d/' || deployment.slug || '/repositories/' || r.id || '/pull-requests/' || s.pull_request as page
    from scan s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id
    join deployment on deployment.id = s.deployment_id
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId}
      and s.pull_request = ${pullRequest} and s.pull_request > 0
    order by s.id desc limit 1`)
  return row
}
