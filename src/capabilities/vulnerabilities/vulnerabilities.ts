import type { Logger } from 'pino'
import { auditEverywhere } from '../../feeds/audit.ts'
import { createFeedKeeper } from '../../feeds/keeper.ts'
import { type FeedPlace, placeName } from '../../feeds/place.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ConnectionOptions } from '../../kernel/connection.ts'
import type { Database } from '../../kernel/database.ts'
import type { Periodic } from '../../kernel/job.ts'
import type { Outbound } from '../../outbound/client.ts'
import type { Reconcile } from '../findings/reads.ts'
import { book } from './feed-store.ts'
import { createMatching } from './matching.ts'
import { readApart } from './read-apart.ts'
import { rematching } from './rematch.ts'
import { removeFeed } from './remove-feed.ts'
import { createVulnerabilityService } from './service.ts'
import { spreadChanges } from './spread.ts'

export type VulnerabilityIngredients = {
  db: Database
  connection: ConnectionOptions
  outbound: Outbound
  clock: Clock
  log: Logger
  folder: string
  reconcile: Reconcile
}

const spreadSeconds = 30

/** Feeds of advisories, what scans make of them, and who has to look again when they change. */
export function createVulnerabilities({ reconcile, connection, ...given }: VulnerabilityIngredients) {
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

  function periodic(places: readonly FeedPlace[], everyMinutes: number): Periodic[] {
    const spreading = { name: 'vulnerabilities.spread', everySeconds: spreadSeconds, run: () => spreadChanges(db) }
    return [keeper.refreshing(places, everyMinutes), spreading]
  }

  return {
    feeds: { ...keeper, remove },
    matching: createMatching(reconcile),
    service: createVulnerabilityService(db, keeper),
    handlers: [rematching(db, reconcile)],
    periodic,
  }
}
