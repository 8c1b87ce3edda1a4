import type { FeedPlace } from '../../../feeds/feed-location.ts'
import { createFeedKeeper, type FeedIngredients, type SyncOutcome } from '../../../feeds/feed-sync.ts'
import { removeFeed } from '../../../feeds/remove.ts'
import { runApart } from '../../../kernel/threads/run-in-thread.ts'
import { spreadChanges } from '../matching/enqueue-rematches.ts'
import { book } from './activate.ts'
import { unlistAll } from './feed-store.ts'

const script = new URL('./feed-thread.ts', import.meta.url)

/** Where advisories come from. Whoever has what they are about is told to look again when they change. */
export function createVulnerabilityFeeds({ connection, ...given }: FeedIngredients) {
  const { db, log } = given
  const keeper = createFeedKeeper({
    ...given,
    book,
    task: 'vulnerabilities.feeds',
    activate: async (task) => {
      const outcome = await runApart<SyncOutcome>(script, { connection, task, auditKeys: await db.auditKeys() })
      if ('activated' in outcome) await spread()
      return outcome
    },
  })

  /** Its advisories hit nobody any more. */
  async function remove(place: FeedPlace): Promise<boolean> {
    const auditKeys = await db.auditKeys()
    const removed = await db.worker((tx) => removeFeed(tx, { book, unlistAll, auditKeys }, place))
    if (removed) await spread()
    return removed
  }

  /** What this does not get done is done by the periodic work. */
  async function spread(): Promise<void> {
    await spreadChanges(db).catch((error) => log.warn({ err: error }, 'changed advisories are not spread yet'))
  }

  return { ...keeper, remove }
}
