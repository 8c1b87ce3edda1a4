import sql from 'sql-template-tag'
import type { FeedRow } from '../../feeds/feed-status-store.ts'
import { shownFeed } from '../../feeds/shown-feed.ts'
import { actsAsOperator } from '../../kernel/access/identity.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { getSystemStatus, type SystemCheck, type SystemStatus } from './contract.ts'

type Feeds = { list(): Promise<FeedRow[]> }

export type StatusParts = {
  db: Database
  clock: Clock
  version: string
  malwareFeeds: Feeds
  vulnerabilityFeeds: Feeds
  queue(): Promise<SystemStatus['queue']>
  /** What is quick of the doctor's: nothing that reads a whole table. */
  checks(): Promise<SystemCheck[]>
}

export function systemRoutes(api: Api, parts: StatusParts): void {
  const startedAt = parts.clock.now().toISOString()
  api.serve(getSystemStatus, ({ caller }) => {
    if (!actsAsOperator(caller)) throw new Fault('forbidden', 'Only operators see the status of the system.')
    return statusOf(parts, startedAt)
  })
}

async function statusOf(parts: StatusParts, startedAt: string): Promise<SystemStatus> {
  const { db, clock, version, malwareFeeds, vulnerabilityFeeds } = parts
  const [checks, malware, vulnerable, queue, database, keys] = await Promise.all([
    parts.checks(),
    malwareFeeds.list(),
    vulnerabilityFeeds.list(),
    parts.queue(),
    databaseStatus(db),
    keyStatus(db),
  ])
  return {
    healthy: checks.every(({ state }) => state !== 'problem'),
    at: clock.now().toISOString(),
    version,
    startedAt,
    checks,
    malwareFeeds: malware.map((feed) => shownFeed(feed, true)),
    vulnerabilityFeeds: vulnerable.map((feed) => shownFeed(feed, true)),
    queue,
    database,
    keys,
  }
}

type Told = { version: string; bytes: number | null; now: Date }

async function databaseStatus(db: Database): Promise<SystemStatus['database']> {
  const before = Date.now()
  const [row] = await db.identityQuery<Told>(sql`select current_setting('server_version') as version,
      case when has_database_privilege(current_database(), 'connect') then pg_database_size(current_database()) end as bytes,
      clock_timestamp() as now`)
  const { version, bytes, now } = row!
  const { readers, writers, readsWaiting, writesWaiting } = db.load()
  return {
    version,
    bytes,
    connections: readers + writers,
    waiting: readsWaiting + writesWaiting,
    clockDifferenceMs: Math.round(now.getTime() - (before + Date.now()) / 2),
  }
}

async function keyStatus(db: Database): Promise<SystemStatus['keys']> {
  const rows = await db.identityQuery<{ scope: string; versions: number; newest: Date }>(
    sql`select scope, count(*) as versions, max(created_at) as newest from data_key group by scope order by scope`,
  )
  return rows.map(({ scope, versions, newest }) => ({ scope, versions, newestAt: newest.toISOString() }))
}
