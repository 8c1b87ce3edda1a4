import { type FeedRow, feedStatusStore } from '../../feeds/feed-status-store.ts'
import type { WorkerQueryable } from '../../kernel/database/database.ts'

type Finding = { part: string; state: 'ok' | 'warning'; detail: string; advice?: string }

const staleHours = 48

export async function checkFeeds(db: WorkerQueryable, now = Date.now()): Promise<Finding[]> {
  return [...(await checkMalwareFeeds(db, now)), ...(await checkVulnerabilityFeeds(db, now))]
}

/** Without advisories the malware firewall lets nothing through; with old ones it lets too much through. */
export async function checkMalwareFeeds(db: WorkerQueryable, now: number): Promise<Finding[]> {
  const part = 'malware advisories'
  const feeds = await feedStatusStore('advisory').list(db)
  if (!feeds.some((feed) => feed.checkedAt)) {
    const detail = feeds[0]?.problem || 'none are loaded, so the firewall refuses every package'
    return [{ part, state: 'warning', detail, advice: 'Set GATEHOUSE_FEED, or run npx gatehouse feed sync PLACE.' }]
  }
  const never = feeds.flatMap(({ place, checkedAt }) => (checkedAt ? [] : [place])).join(' ')
  // While one has never come in, nothing is let through: nobody knows what it would have named.
  return feeds.map(({ place, recordCount, checkedAt, problem }): Finding => {
    if (checkedAt) return { part, ...ageOf({ place, recordCount, checkedAt, problem }, now) }
    const unwanted = `What is not wanted is left out of GATEHOUSE_FEED, and then removed: npx gatehouse feed remove ${never}`
    const advice = [problem, unwanted].filter(Boolean).join(' ')
    return { part, state: 'warning', detail: `none from ${place}, so the firewall lets nothing through`, advice }
  })
}

/** Without these, that nothing is found says nothing. */
export async function checkVulnerabilityFeeds(db: WorkerQueryable, now: number): Promise<Finding[]> {
  const part = 'vulnerability advisories'
  const feeds = await feedStatusStore('vulnerability').list(db)
  if (feeds.length === 0) {
    const detail = 'none are loaded, so no dependency is known to be vulnerable'
    const advice = 'Set GATEHOUSE_VULNERABILITY_FEED, or run npx gatehouse feed sync --vulnerabilities PLACE.'
    return [{ part, state: 'warning', detail, advice }]
  }
  return feeds.map(({ place, recordCount, checkedAt, problem }): Finding => {
    if (checkedAt) return { part, ...ageOf({ place, recordCount, checkedAt, problem }, now) }
    return { part, state: 'warning', detail: `none from ${place}`, advice: problem || 'It is looked at soon.' }
  })
}

type Loaded = Pick<FeedRow, 'place' | 'recordCount' | 'problem'> & { checkedAt: Date }

function ageOf({ place, recordCount, checkedAt, problem }: Loaded, now: number): Omit<Finding, 'part'> {
  const hours = Math.floor((now - checkedAt.getTime()) / 3_600_000)
  const detail = `${recordCount} from ${place}, current ${hours} hours ago`
  if (problem) return { state: 'warning', detail, advice: problem }
  if (hours < staleHours) return { state: 'ok', detail }
  return { state: 'warning', detail, advice: 'Run npx gatehouse feed sync, and see that it goes on by itself.' }
}
