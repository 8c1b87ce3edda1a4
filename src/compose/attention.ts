import { type AttentionSources, attentionRoutes } from '../capabilities/attention/attention.ts'
import { count as countDeadLetters } from '../capabilities/dead-letters/store.ts'
import type { Findings } from '../capabilities/findings/service.ts'
import { countAskedExceptions, countExposures, countHeld } from '../capabilities/firewall/waiting.ts'
import { countSuggested } from '../capabilities/memories/store.ts'
import type { PackageWatches } from '../capabilities/package-watches/service.ts'
import type { ReportService } from '../capabilities/reports/service.ts'
import { waiting } from '../capabilities/scans/pull-requests/last-scan.ts'
import { countLast } from '../capabilities/scans/pull-requests/pull-request-store.ts'
import type { ScmAppService } from '../capabilities/scm-apps/service.ts'
import type { TicketingService } from '../capabilities/ticketing/instances/service.ts'
import type { TokenService } from '../capabilities/tokens/service.ts'
import type { Capability } from '../domain/capability.ts'
import type { FeedRow } from '../feeds/feed-status-store.ts'
import { isStale } from '../feeds/shown-feed.ts'
import type { Database } from '../kernel/database/database.ts'

type Feeds = { list(): Promise<FeedRow[]> }
type Parts = {
  db: Database
  findings: Findings
  reports: ReportService
  apps: ScmAppService
  tokens: TokenService
  trackers: TicketingService
  watches: PackageWatches
  feeds: readonly Feeds[]
}

/** From before anything was found until after: whole months, so that few counters are read. */
const always = { since: '0001-01-01T00:00:00.000Z', until: '9999-12-01T00:00:00.000Z' }

/** What waits for somebody, each counted by the capability that lists it. */
export function composeAttention({ db, findings, reports, apps, tokens, trackers, watches, feeds }: Parts): Capability {
  const sources: AttentionSources = {
    priorityFindings: {
      needs: ['findings:read', 'reports:read'],
      count: async (actor) => (await reports.funnel(actor, { timePeriod: always, archived: false })).priorityFindings,
    },
    overdueFindings: {
      needs: ['findings:read'],
      count: async (actor) => (await findings.count(actor, { overdue: true, archived: false })).total,
    },
    blockedPullRequests: {
      needs: ['scans:read'],
      count: (actor) => countLast(db.as(actor), actor, waiting),
    },
    exposures: { needs: ['firewall:read'], count: (actor) => countExposures(db.as(actor), actor) },
    heldAdvisories: { needs: ['firewall:read'], count: (actor) => countHeld(db.as(actor)) },
    askedExceptions: { needs: ['firewall:write'], count: (actor) => countAskedExceptions(db.as(actor)) },
    watchedPackages: { needs: ['dependencies:read'], count: watches.countNews },
    suggestedMemories: { needs: ['memories:read'], count: (actor) => countSuggested(db.as(actor), actor) },
    deadLetters: { needs: ['jobs:read'], count: (actor) => countDeadLetters(db.as(actor), {}) },
    expiringCertificates: { needs: ['scm-apps:read'], count: apps.countExpiring },
    expiringTokens: { needs: ['tokens:read'], count: (actor) => tokens.count(actor, { state: 'expiring' }) },
    staleFeeds: {
      needs: ['dependencies:read', 'firewall:read'],
      async count() {
        const lists = await Promise.all(feeds.map((each) => each.list()))
        return lists.flat().filter((feed) => isStale(feed)).length
      },
    },
    revokedTrackers: {
      needs: ['ticketing:read'],
      count: async (actor) => (await trackers.list(actor)).filter((each) => each.isAuthRevoked).length,
    },
  }
  return { serve: (api) => attentionRoutes(api, sources) }
}
