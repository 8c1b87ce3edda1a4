import type { FeedLocation } from '../../../feeds/feed-location.ts'
import { createFeedSync, type FeedDependencies } from '../../../feeds/feed-sync.ts'
import { removeFeed } from '../../../feeds/remove.ts'
import { runInThread } from '../../../kernel/threads/run-in-thread.ts'
import { feedStatus, unlistAll } from './activate.ts'
import { notify } from './advisory-store.ts'

export type Feeds = ReturnType<typeof createFeeds>

const script = new URL('./feed-thread.ts', import.meta.url)

/** Where advisories about malicious packages come from. Every process is told when they change. */
export function createFeeds({ connection, ...given }: FeedDependencies) {
  const keeper = createFeedSync({
    ...given,
    book: feedStatus,
    task: 'firewall.feeds',
    activate: async (task) => runInThread(script, { connection, task, auditKeys: await given.db.auditKeys() }),
  })

  /** Its advisories block nothing any more. */
  async function remove(place: FeedLocation): Promise<boolean> {
    const auditKeys = await given.db.auditKeys()
    return given.db.worker(async (tx) => {
      const removed = await removeFeed(tx, { book: feedStatus, unlistAll, auditKeys }, place)
      if (removed) await notify(tx)
      return removed
    })
  }

  return { ...keeper, remove }
}
