import sql from 'sql-template-tag'
import { auditEverywhere } from '../../feeds/audit.ts'
import type { Database } from '../../kernel/database.ts'
import * as store from './feed-store.ts'

/** Its advisories hit nobody any more. Answers whether there was such a feed. */
export function removeFeed(db: Database, place: string): Promise<boolean> {
  return db.worker(async (tx) => {
    const feed = (await store.book.list(tx)).find((each) => each.place === place)
    if (!feed) return false
    const revision = (await store.lockRevision(tx)) + 1
    const listed = await tx.query<{ id: string }>(
      sql`select external_id as id from vulnerability where feed_id = ${feed.id} and listed`,
    )
    await store.unlist(
      tx,
      feed.id,
      revision,
      listed.map((row) => row.id),
    )
    await store.book.forget(tx, feed.id)
    await store.setRevision(tx, revision)
    await auditEverywhere(tx, 'vulnerability-feed.remove', `vulnerability-feed:${feed.id}`, { place })
    return true
  })
}
