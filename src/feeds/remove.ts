import type { AuditKeys } from '../kernel/database/audit-chain.ts'
import type { WorkerQueryable } from '../kernel/database/database.ts'
import type { Change } from './activate.ts'
import { auditFeed } from './audit.ts'
import { type FeedLocation, feedLocationName } from './feed-location.ts'
import type { FeedStatusStore } from './feed-status-store.ts'

export type Removal = {
  book: FeedStatusStore
  unlistAll: (tx: WorkerQueryable, change: Change) => Promise<void>
  auditKeys: AuditKeys
}

/** Takes back everything that a feed brought. Answers whether there was such a feed. */
export async function removeFeed(
  tx: WorkerQueryable,
  { book, unlistAll, auditKeys }: Removal,
  place: FeedLocation,
): Promise<boolean> {
  const feed = (await book.list(tx)).find((each) => each.place === feedLocationName(place))
  if (!feed) return false
  const revision = (await book.lockRevision(tx)) + 1
  await unlistAll(tx, { feedId: feed.id, revision })
  await book.forget(tx, feed.id)
  await book.setRevision(tx, revision)
  await auditFeed(tx, auditKeys, book, 'remove', feed)
  return true
}
