import type { FeedLocation } from '../../../feeds/feed-location.ts'
import { createFeedSync, type FeedDependencies, type SyncOutcome } from '../../../feeds/feed-sync.ts'
import { removeFeed } from '../../../feeds/remove.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import { runInThread } from '../../../kernel/threads/run-in-thread.ts'
import { feedStatus } from './activate.ts'
import { removeAll } from './epss-store.ts'

const script = new URL('./epss-thread.ts', import.meta.url)

/** Where EPSS scores come from. A list has some 300,000 of them, so a thread reads it. */
export function createEpssFeeds({ connection, ...given }: FeedDependencies) {
  const { db } = given
  const keeper = createFeedSync({
    ...given,
    book: feedStatus,
    task: 'vulnerabilities.epss',
    activate: async (task) => runInThread<SyncOutcome>(script, { connection, task, auditKeys: await db.auditKeys() }),
  })

  async function remove(place: FeedLocation): Promise<boolean> {
    const auditKeys = await db.auditKeys()
    const unlistAll = (tx: WorkerQueryable, { feedId }: { feedId: number }) => removeAll(tx, feedId)
    return db.worker((tx) => removeFeed(tx, { book: feedStatus, unlistAll, auditKeys }, place))
  }

  return { ...keeper, remove }
}
