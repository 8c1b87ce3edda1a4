import type { FeedLocation } from '../../feeds/feed-location.ts'
import type { FeedDependencies } from '../../feeds/feed-sync.ts'
import type { Periodic } from '../../kernel/jobs/job.ts'
import { createVulnerabilityFeeds } from './feeds/feeds.ts'
import { enqueueRematches } from './matching/enqueue-rematches.ts'
import { createMatching } from './matching/matching.ts'
import { type RematchParts, rematching } from './matching/rematch.ts'
import { createVulnerabilityService } from './service.ts'

export type VulnerabilityDependencies = FeedDependencies & Omit<RematchParts, 'db'>

const spreadSeconds = 30

/** Feeds of advisories, what scans make of them, and who has to look again when they change. */
export function createVulnerabilities(given: VulnerabilityDependencies) {
  const { db, reconcile } = given
  const feeds = createVulnerabilityFeeds(given)

  function periodic(places: readonly FeedLocation[], everyMinutes: number): Periodic[] {
    const spreading = { name: 'vulnerabilities.spread', everySeconds: spreadSeconds, run: () => enqueueRematches(db) }
    return [feeds.refreshing(places, everyMinutes), spreading]
  }

  return {
    feeds,
    matching: createMatching(reconcile),
    service: createVulnerabilityService(db, feeds),
    handlers: [rematching(given)],
    periodic,
  }
}
