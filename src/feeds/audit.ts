import sql from 'sql-template-tag'
import { type AuditKeys, appendAudit } from '../kernel/database/audit-chain.ts'
import { workFor } from '../kernel/database/connections/prepared-query.ts'
import type { WorkerQueryable } from '../kernel/database/database.ts'
import type { FeedRow, FeedStatusStore } from './feed-status-store.ts'
import { feedName } from './shown-feed.ts'

/** In the log of every deployment: what a feed brings is everybody's. Where it comes from is the operator's, and not in it. */
export async function auditFeed(
  tx: WorkerQueryable,
  auditKeys: AuditKeys,
  { kind }: FeedStatusStore,
  action: 'activate' | 'refuse' | 'remove',
  feed: FeedRow,
  detail: object = {},
): Promise<void> {
  const deployments = await tx.query<{ id: number }>(sql`select id from deployment order by id`)
  const entry = {
    action: `${kind}-feed.${action}`,
    target: `${kind}-feed:${feed.id}`,
    detail: { feed: feedName(feed), ...detail },
  }
  for (const { id } of deployments) {
    // Whoever appends works for the tenant whose log it is.
    await tx.query(workFor(id))
    await appendAudit(tx, auditKeys, { deploymentId: id, personId: 0, tokenId: 0, requestId: 'feed-sync' }, [entry])
  }
  await tx.query(workFor(undefined))
}
