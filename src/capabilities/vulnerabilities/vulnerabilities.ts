import type { FeedLocation } from '../../feeds/feed-location.ts'
import type { FeedDependencies } from '../../feeds/feed-sync.ts'
import type { Periodic } from '../../kernel/jobs/job.ts'
import { createEpssFeeds } from './epss/epss-feeds.ts'
import { createExploitedFeeds } from './exploited/exploited-feeds.ts'
import { createVulnerabilityFeeds } from './feeds/feeds.ts'
import { enqueueRematches } from './matching/enqueue-rematches.ts'
import { createMatching } from './matching/matching.ts'
import { type RematchParts, rematching } from './matching/rematch.ts'
import { createVulnerabilityService } from './service.ts'

export type VulnerabilityDependencies = FeedDependencies & Omit<RematchParts, 'db'>

/** Where advisories are, the lists of those that are exploited, and how probable that is of each. */
type VulnerabilityPlaces = Record<'advisories' | 'exploited' | 'epss', readonly FeedLocation[]>

const spreadSeconds = 30

/** Feeds of advisories, what scans make of them, and who has to look again when they change. */
export function createVulnerabilities(given: VulnerabilityDependencies) {
  const { db, reconcile } = given
  const feeds = createVulnerabilityFeeds(given)
  const exploitedFeeds = createExploitedFeeds(given)
  const epssFeeds = createEpssFeeds(given)

  function periodic(places: VulnerabilityPlaces, everyMinutes: number): Periodic[] {
    const spreading = { name: 'vulnerabilities.spread', everySeconds: spreadSeconds, run: () => enqueueRematches(db) }
    const exploited = exploitedFeeds.refreshing(places.exploited, everyMinutes)
    const epss = epssFeeds.refreshing(places.epss, everyMinutes)
    return [feeds.refreshing(places.advisories, everyMinutes), exploited, epss, spreading]
  }

  return {
    feeds,
    exploitedFeeds,
    epssFeeds,
    matching: createMatching(reconcile),
    service: createVulnerabilityService(db, { advisories: feeds, exploited: exploitedFeeds, epss: epssFeeds }),
    handlers: [rematching(given)],
    periodic,
  }
}
