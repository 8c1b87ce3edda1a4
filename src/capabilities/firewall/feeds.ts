import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { download } from '../../feeds/download.ts'
import { type FeedPlace, placeName } from '../../feeds/place.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ConnectionOptions } from '../../kernel/connection.ts'
import type { Database } from '../../kernel/database.ts'
import type { Periodic } from '../../kernel/job.ts'
import type { Outbound } from '../../outbound/client.ts'
import type { Activation } from './activate.ts'
import * as store from './advisory-store.ts'
import { runThread } from './thread-task.ts'

export type FeedOptions = {
  db: Database
  connection: ConnectionOptions
  outbound: Outbound
  clock: Clock
  log: Logger
  /** Where downloads lie while they are read. */
  folder: string
}

/** What became of one attempt: taken over, found to be what is active already, or neither. */
export type SyncResult = { place: string } & (
  | ({ outcome: 'activated' } & Activation)
  | { outcome: 'current' }
  | { outcome: 'refused'; problem: string }
)

export type Feeds = ReturnType<typeof createFeeds>

const retryMinutes = 5
const tickSeconds = 60

export function createFeeds({ db, connection, outbound, clock, log, folder }: FeedOptions) {
  const worker = { query: db.workerQuery }

  /** Takes over the state that a feed has now, if it is whole. Never throws for what is wrong with the feed. */
  async function sync(place: FeedPlace, { force = false }: { force?: boolean } = {}): Promise<SyncResult> {
    const name = placeName(place)
    const feed = await store.ensureFeed(worker, name)
    const knownTag = force || feed.checkedAt === null ? '' : feed.tag
    let found: Awaited<ReturnType<typeof fetch>>
    try {
      found = await fetch(place, knownTag)
    } catch (error) {
      return refused(feed, `The feed cannot be read: ${(error as Error).message}`)
    }
    if (found === 'unchanged') return current(feed)
    try {
      const { path, tag } = found
      const task = { kind: 'sync', place: name, path, tag, knownTag, force, now: clock.now() } as const
      const result = await runThread({ connection, task })
      if ('refused' in result) return await refused(feed, result.refused)
      if ('current' in result) return await current(feed)
      if (!('activated' in result)) throw new Error('the thread activated nothing')
      log.info({ place: name, ...result.activated }, 'feed activated')
      return { place: name, outcome: 'activated', ...result.activated }
    } finally {
      await found.remove()
    }
  }

  async function fetch(place: FeedPlace, knownTag: string) {
    if (place.kind === 'url') return download(outbound, place.url, knownTag, join(folder, 'feeds'))
    await access(place.path)
    return { path: place.path, tag: undefined, remove: async () => {} }
  }

  async function current(feed: store.FeedRow): Promise<SyncResult> {
    await db.worker((tx) => store.noteCurrent(tx, feed.id, clock.now()))
    return { place: feed.place, outcome: 'current' }
  }

  async function refused(feed: store.FeedRow, problem: string): Promise<SyncResult> {
    const { place } = feed
    log.warn({ place, problem }, 'a feed was not taken over; what was active before stays')
    await db.worker(async (tx) => {
      // Said once, not at every attempt.
      if (!(await store.noteProblem(tx, feed.id, problem, clock.now()))) return
      await store.auditEverywhere(tx, 'advisory-feed.refuse', `advisory-feed:${feed.id}`, { place, problem })
    })
    return { place, outcome: 'refused', problem }
  }

  /** Its advisories block nothing any more. Answers whether there was such a feed. */
  function remove(place: FeedPlace): Promise<boolean> {
    return db.worker(async (tx) => {
      const feed = (await store.listFeeds(tx)).find((each) => each.place === placeName(place))
      if (!feed) return false
      const revision = (await store.lockRevision(tx)) + 1
      await store.forgetFeed(tx, feed.id, revision)
      await store.setRevision(tx, revision)
      await store.auditEverywhere(tx, 'advisory-feed.remove', `advisory-feed:${feed.id}`, { place: feed.place })
      await store.notify(tx)
      return true
    })
  }

  /** Looks every minute which of these feeds it is time for; one that failed is tried again soon. */
  function refreshing(places: readonly FeedPlace[], everyMinutes: number): Periodic {
    return {
      name: 'firewall.feeds',
      everySeconds: tickSeconds,
      run: async () => {
        for (const place of places) {
          const feed = await store.ensureFeed(worker, placeName(place))
          const minutes = feed.problem === '' ? everyMinutes : Math.min(retryMinutes, everyMinutes)
          const due = (feed.attemptedAt?.getTime() ?? 0) + minutes * 60_000 <= clock.now().getTime()
          if (due) await sync(place)
        }
      },
    }
  }

  return { sync, remove, refreshing, list: () => store.listFeeds(worker) }
}
