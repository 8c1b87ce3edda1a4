import type { FeedIngredients } from '../../feeds/keeper.ts'
import type { FeedPlace } from '../../feeds/place.ts'
import type { Periodic } from '../../kernel/job.ts'
import { createVulnerabilityFeeds } from './feeds.ts'
import { createMatching } from './matching.ts'
import { type RematchParts, rematching } from './rematch.ts'
import { createVulnerabilityService } from './service.ts'
import { spreadChanges } from './spread.ts'

export type VulnerabilityIngredients = FeedIngredients & Omit<RematchParts, 'db'>

const spreadSeconds = 30

/** Feeds of advisories, what scans make of them, and who has to look again when they change. */
export function createVulnerabilities(given: VulnerabilityIngredients) {
  const { db, reconcile } = given
  const feeds = createVulnerabilityFeeds(given)

  function periodic(places: readonly FeedPlace[], everyMinutes: number): Periodic[] {
    const spreading = { name: 'vulnerabilities.spread', everySeconds: spreadSeconds, run: () => spreadChanges(db) }
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
