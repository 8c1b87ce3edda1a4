import type { FeedLocation } from '../../feeds/feed-location.ts'
import type { FeedDependencies } from '../../feeds/feed-sync.ts'
import type { Periodic } from '../../kernel/jobs/job.ts'
import { createExploitedFeeds } from './exploited/exploited-feeds.ts'
import { createVulnerabilityFeeds } from './feeds/feeds.ts'
import { enqueueRematches } from './matching/enqueue-rematches.ts'
import { createMatching } from './matching/matching.ts'
import { type RematchParts, rematching } from './matching/rematch.ts'
import { createVulnerabilityService } from './service.ts'

export type VulnerabilityDependencies = FeedDependencies & Omit<RematchParts, 'db'>

/** Where advisories are, and where the lists of those that are exploited. */
type VulnerabilityPlaces = { advisories: readonly FeedLocation[]; exploited: readonly FeedLocation[] }

const spreadSeconds = 30

/** Feeds of advisories, what scans make of them, and who has to look again when they change. */
export function createVulnerabilities(given: VulnerabilityDependencies) {
  const { db, reconcile } = given
  const feeds = createVulnerabilityFeeds(given)
  const exploitedFeeds = createExploitedFeeds(given)

  function periodic(places: VulnerabilityPlaces, everyMinutes: number): Periodic[] {
    const spreading = { name: 'vulnerabilities.spread', everySeconds: spreadSeconds, run: () => enqueueRematches(db) }
    const exploited = exploitedFeeds.refreshing(places.exploited, everyMinutes)
    return [feeds.refreshing(places.advisories, everyMinutes), exploited, spreading]
  }

  return {
    feeds,
    exploitedFeeds,
    matching: createMatching(reconcile),
    service: createVulnerabilityService(db, feeds, exploitedFeeds),
    handlers: [rematching(given)],
    periodic,
  }
}
