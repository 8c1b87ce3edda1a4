import type { FeedLocation } from '../../../feeds/feed-location.ts'
import { createFeedSync, type FeedDependencies, type SyncOutcome } from '../../../feeds/feed-sync.ts'
import { removeFeed } from '../../../feeds/remove.ts'
import { runInThread } from '../../../kernel/threads/run-in-thread.ts'
import { enqueueRematches } from '../matching/enqueue-rematches.ts'
import { feedStatus } from './activate.ts'
import { unlistAll } from './feed-store.ts'

const script = new URL('./feed-thread.ts', import.meta.url)

/** Where advisories come from. Whoever has what they are about is told to look again when they change. */
export function createVulnerabilityFeeds({ connection, ...given }: FeedDependencies) {
  const { db, log } = given
  const keeper = createFeedSync({
    ...given,
    book: feedStatus,
    task: 'vulnerabilities.feeds',
    activate: async (task) => {
      const outcome = await runInThread<SyncOutcome>(script, { connection, task, auditKeys: await db.auditKeys() })
      if ('activated' in outcome) await spread()
      return outcome
    },
  })

  /** Its advisories hit nobody any more. */
  async function remove(place: FeedLocation): Promise<boolean> {
    const auditKeys = await db.auditKeys()
    const removed = await db.worker((tx) => removeFeed(tx, { book: feedStatus, unlistAll, auditKeys }, place))
    if (removed) await spread()
    return removed
  }

  /** What this does not get done is done by the periodic work. */
  async function spread(): Promise<void> {
    await enqueueRematches(db).catch((error) =>
      log.warn({ err: error }, 'repositories were not matched with changed advisories yet'),
    )
  }

  return { ...keeper, remove }
}
