import { feedStatusStore } from '../../feeds/feed-status-store.ts'
import type { WorkerQueryable } from '../../kernel/database/database.ts'

type Finding = { part: string; state: 'ok' | 'warning'; detail: string; advice?: string }

const staleHours = 48

/** Without advisories the malware firewall lets nothing through; with old ones it lets too much through. */
export async function checkFeeds(db: WorkerQueryable, now = Date.now()): Promise<Finding[]> {
  const part = 'malware advisories'
  const feeds = await feedStatusStore('advisory').list(db)
  if (!feeds.some((feed) => feed.checkedAt)) {
    const detail = feeds[0]?.problem || 'none are loaded, so the firewall refuses every package'
    return [{ part, state: 'warning', detail, advice: 'Set GATEHOUSE_FEED, or run npx gatehouse feed sync PLACE.' }]
  }
  // While one has never come in, nothing is let through: nobody knows what it would have named.
  return feeds.map(({ place, recordCount, checkedAt, problem }): Finding => {
    if (!checkedAt) {
      const unwanted = `If it is not wanted, leave it out of GATEHOUSE_FEED and run: npx gatehouse feed remove ${place}`
      const advice = [problem, unwanted].filter(Boolean).join(' ')
      return { part, state: 'warning', detail: `none from ${place}, so the firewall lets nothing through`, advice }
    }
    const hours = Math.floor((now - checkedAt.getTime()) / 3_600_000)
    const detail = `${recordCount} from ${place}, current ${hours} hours ago`
    if (problem) return { part, state: 'warning', detail, advice: problem }
    if (hours < staleHours) return { part, state: 'ok', detail }
    return { part, state: 'warning', detail, advice: 'Run npx gatehouse feed sync, and see that it goes on by itself.' }
  })
}
