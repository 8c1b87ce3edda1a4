import type { Logger } from 'pino'
import { auditEverywhere } from '../../feeds/audit.ts'
import { createFeedKeeper } from '../../feeds/keeper.ts'
import { type FeedPlace, placeName } from '../../feeds/place.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ConnectionOptions } from '../../kernel/connection.ts'
import type { Database } from '../../kernel/database.ts'
import type { Outbound } from '../../outbound/client.ts'
import { book } from './feed-store.ts'
import { readApart } from './read-apart.ts'
import { removeFeed } from './remove-feed.ts'
import { spreadChanges } from './spread.ts'

export type FeedIngredients = {
  db: Database
  connection: ConnectionOptions
  outbound: Outbound
  clock: Clock
  log: Logger
  folder: string
}

/** Where advisories come from. Whoever has what they are about is told to look again when they change. */
export function createVulnerabilityFeeds({ connection, ...given }: FeedIngredients) {
  const { db, log } = given
  const keeper = createFeedKeeper({
    ...given,
    book,
    task: 'vulnerabilities.feeds',
    activate: async (task) => {
      const outcome = await readApart({ connection, task })
      if ('activated' in outcome) await spread()
      return outcome
    },
    refused: (tx, { id, place }, problem) =>
      auditEverywhere(tx, 'vulnerability-feed.refuse', `vulnerability-feed:${id}`, { place, problem }),
  })

  async function remove(place: FeedPlace): Promise<boolean> {
    const removed = await removeFeed(db, placeName(place))
    if (removed) await spread()
    return removed
  }

  /** What this does not get done is done by the periodic work. */
  async function spread(): Promise<void> {
    await spreadChanges(db).catch((error) => log.warn({ err: error }, 'changed advisories are not spread yet'))
  }

  return { ...keeper, remove }
}
