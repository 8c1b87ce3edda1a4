import Type, { type Static } from 'typebox'
import { Count, NamedObject, OneOf, OrNull, Timestamp } from '../kernel/contract/schema.ts'
import type { FeedRow } from './feed-status-store.ts'

/** A feed as an answer shows it. */
export const ShownFeed = NamedObject('AdvisoryFeed', {
  name: Type.String({ description: 'What it is called here' }),
  kind: OneOf(['local', 'url'], 'Lies on the machine of Gatehouse, or is fetched'),
  state: OneOf(
    ['active', 'waiting', 'unreachable', 'refused'],
    'Came in at the last attempt; was not tried yet; cannot be reached; was not taken over. What was active before stays active',
  ),
  records: Count,
  stale: Type.Boolean({ description: 'It has a problem, or was not current for 48 hours' }),
  checkedAt: OrNull(Timestamp),
  activatedAt: OrNull(Timestamp),
  place: OrNull(Type.String({ description: 'Folder, file or URL; for the operator alone' })),
  problem: Type.String({
    description: 'Why the last attempt activated nothing, for the operator alone; empty if it went well',
  }),
})
export type ShownFeed = Static<typeof ShownFeed>

const publicExport = /^https:\/\/osv-vulnerabilities\.storage\.googleapis\.com\/([\w.%-]{1,50})\/all\.zip$/

/** Tells feeds apart without telling where they are: a path or an internal host is nothing for a tenant. */
export function feedName({ id, place }: Pick<FeedRow, 'id' | 'place'>): string {
  const ecosystem = publicExport.exec(place)?.[1]
  return ecosystem ? `OSV.dev ${ecosystem}` : `feed ${id}`
}

const staleMs = 48 * 3_600_000

/** What it has may be too old to rely on. One that was never tried yet is not stale. */
export function isStale({ checkedAt, problem }: FeedRow, now = Date.now()): boolean {
  return problem !== '' || (checkedAt !== null && now - checkedAt.getTime() >= staleMs)
}

export function shownFeed(feed: FeedRow, isOperator: boolean): ShownFeed {
  return {
    name: feedName(feed),
    kind: /^https?:/.test(feed.place) ? 'url' : 'local',
    state: feed.problemKind || (feed.checkedAt ? 'active' : 'waiting'),
    records: feed.recordCount,
    stale: isStale(feed),
    checkedAt: feed.checkedAt?.toISOString() ?? null,
    activatedAt: feed.activatedAt?.toISOString() ?? null,
    place: isOperator ? feed.place : null,
    problem: isOperator ? feed.problem : '',
  }
}

const words = { unreachable: 'cannot be reached', refused: 'was not taken over' }

/** What is wrong with the first feed that something is wrong with; undefined where all came in at their last attempt. */
export function feedAdvice(feeds: readonly FeedRow[], isOperator: boolean): string | undefined {
  const broken = feeds.find((feed) => feed.problem !== '')
  if (!broken) return undefined
  if (isOperator) return `${broken.place}: ${broken.problem}`
  return `${feedName(broken)} ${words[broken.problemKind || 'refused']}. The operator of Gatehouse sees why with 'gatehouse doctor'.`
}
