import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../kernel/database.ts'
import type { FeedBook, FeedRow } from './book.ts'

/** In the log of every deployment: what a feed brings is everybody's. */
export async function auditFeed(
  tx: WorkerQueryable,
  { kind }: FeedBook,
  action: 'activate' | 'refuse' | 'remove',
  { id: feedId, place }: FeedRow,
  detail: object = {},
): Promise<void> {
  const deployments = await tx.query<{ id: number }>(sql`select id from deployment order by id`)
  for (const { id } of deployments) {
    // The chain's rows are under the policy of their tenant, for whoever appends too.
    await tx.query(sql`select set_config('gatehouse.deployment', ${String(id)}, true)`)
    await tx.query(sql`select audit_append(${id}::bigint, 0::bigint, 0::bigint, ${'feed-sync'}, ${`${kind}-feed.${action}`},
      ${`${kind}-feed:${feedId}`}, ${JSON.stringify({ place, ...detail })}::jsonb)`)
  }
  await tx.query(sql`select set_config('gatehouse.deployment', '', true)`)
}
