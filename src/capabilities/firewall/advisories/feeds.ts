import type { FeedPlace } from '../../../feeds/feed-location.ts'
import { createFeedKeeper, type FeedIngredients } from '../../../feeds/feed-sync.ts'
import { removeFeed } from '../../../feeds/remove.ts'
import { runApart } from '../../../kernel/threads/run-in-thread.ts'
import { book, unlistAll } from './activate.ts'
import { notify } from './advisory-store.ts'

export type Feeds = ReturnType<typeof createFeeds>

const script = new URL('./feed-thread.ts', import.meta.url)

/** Where advisories about malicious packages come from. Every process is told when they change. */
export function createFeeds({ connection, ...given }: FeedIngredients) {
  const keeper = createFeedKeeper({
    ...given,
    book,
    task: 'firewall.feeds',
    activate: async (task) => runApart(script, { connection, task, auditKeys: await given.db.auditKeys() }),
  })

  /** Its advisories block nothing any more. */
  async function remove(place: FeedPlace): Promise<boolean> {
    const auditKeys = await given.db.auditKeys()
    return given.db.worker(async (tx) => {
      const removed = await removeFeed(tx, { book, unlistAll, auditKeys }, place)
      if (removed) await notify(tx)
      return removed
    })
  }

  return { ...keeper, remove }
}
