import type { AttentionKind } from '../../src/capabilities/attention/contract.ts'

export type AttentionWords = { one: string; many: string; path: string }

/** What is counted, and the list that has exactly that many rows. */
export const attentionWords: Record<AttentionKind, AttentionWords> = {
  priorityFindings: {
    one: 'priority finding',
    many: 'priority findings',
    path: 'findings?state=any&stage=priority&archived=no',
  },
  overdueFindings: { one: 'overdue finding', many: 'overdue findings', path: 'findings?overdue=yes&archived=no' },
  blockedPullRequests: {
    one: 'blocked pull request',
    many: 'blocked pull requests',
    path: 'pull-requests?blocked=yes&over=no',
  },
  exposures: { one: 'exposure to malware', many: 'exposures to malware', path: 'firewall/exposures?state=open' },
  heldAdvisories: { one: 'advisory is held', many: 'advisories are held', path: 'firewall/held?state=held' },
  askedExceptions: {
    one: 'exception is asked for',
    many: 'exceptions are asked for',
    path: 'firewall/exceptions?state=open',
  },
  watchedPackages: {
    one: 'watched package has news',
    many: 'watched packages have news',
    path: 'dependencies/watched?news=yes',
  },
  suggestedMemories: { one: 'suggested memory', many: 'suggested memories', path: 'memories' },
  deadLetters: { one: 'job was given up', many: 'jobs were given up', path: 'settings/system' },
  expiringCertificates: {
    one: 'certificate expires soon',
    many: 'certificates expire soon',
    path: 'settings/devops-apps?state=expiring',
  },
  expiringTokens: { one: 'token expires soon', many: 'tokens expire soon', path: 'settings/tokens?state=expiring' },
  staleFeeds: { one: 'feed is stale', many: 'feeds are stale', path: 'settings/system?feeds=stale' },
  revokedTrackers: {
    one: 'tracker refuses our credentials',
    many: 'trackers refuse our credentials',
    path: 'settings/ticketing?state=revoked',
  },
}
