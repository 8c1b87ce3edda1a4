import { access } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import type { Database } from '../kernel/database/database.ts'
import { eachInTurn } from '../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../kernel/jobs/job.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Outbound } from '../outbound/client/client.ts'
import type { Activation } from './activate.ts'
import { auditFeed } from './audit.ts'
import { download } from './download.ts'
import { downloadFolder } from './download-files.ts'
import { type FeedLocation, feedLocationName } from './feed-location.ts'
import type { FeedRow, FeedStatusStore, ProblemKind } from './feed-status-store.ts'

/** A state of a feed that lies on this machine and is to be taken over. */
export type SyncTask = {
  place: string
  path: string
  /** Undefined for what lies on this machine: found out by whoever reads it, because a folder may have very many files. */
  tag: string | undefined
  knownTag: string
  force: boolean
  now: Date
}

export type SyncOutcome = { activated: Activation } | { current: true } | { refused: string }

/** What became of one attempt: taken over, found to be what is active already, or neither. */
export type SyncResult = { place: string } & (
  | ({ outcome: 'activated' } & Activation)
  | { outcome: 'current' }
  | { outcome: 'refused'; problem: string }
)

/** What whoever has feeds is made of. */
export type FeedDependencies = {
  db: Database
  connection: ConnectionOptions
  outbound: Outbound
  clock: Clock
  log: Logger
  /** Where downloads lie while they are read. */
  folder: string
  /** What stays free on its disk. */
  reserveBytes: number
}

export type FeedSyncOptions = Omit<FeedDependencies, 'connection'> & {
  book: FeedStatusStore
  /** The name of the periodic task. */
  task: string
  activate: (task: SyncTask) => Promise<SyncOutcome>
}

type SyncOptions = { force?: boolean; signal?: AbortSignal | undefined }

const problemLines: Record<ProblemKind, string> = {
  unreachable: 'a feed cannot be reached; what was active before stays, and it is tried again until it comes in',
  refused: 'a feed was not taken over; what was active before stays',
}

const retryMinutes = 5
const tickSeconds = 60

/** Keeps what is active up with what the feeds have. */
export function createFeedSync(options: FeedSyncOptions) {
  const { db, outbound, clock, log, book, task, activate } = options
  const worker = { query: db.workerQuery }
  const downloads = { folder: downloadFolder(options.folder), reserveBytes: options.reserveBytes }

  /**
   * Takes over the state that a feed has now, if it is whole. Never throws for what is wrong with the feed. A download that is called
   * off says nothing about it.
   */
  async function sync(place: FeedLocation, { force = false, signal }: SyncOptions = {}): Promise<SyncResult> {
    signal?.throwIfAborted()
    const name = feedLocationName(place)
    const feed = await book.ensure(worker, name)
    const knownTag = force || feed.checkedAt === null ? '' : feed.tag
    let found: Awaited<ReturnType<typeof fetch>>
    try {
      found = await fetch(place, knownTag, signal)
    } catch (error) {
      signal?.throwIfAborted()
      return failed(feed, 'unreachable', `The feed cannot be read: ${(error as Error).message}`)
    }
    if (found === 'unchanged') return current(feed)
    try {
      const { path, tag } = found
      const task = { place: name, path, tag, knownTag, force, now: clock.now() }
      const result = await activate(task).catch((error: unknown) => ({ failed: error }))
      if ('failed' in result) return await broken(feed, result.failed)
      if ('refused' in result) return await failed(feed, 'refused', result.refused)
      if ('current' in result) return await current(feed)
      log.info({ place: name, ...result.activated }, 'feed activated')
      return { place: name, outcome: 'activated', ...result.activated }
    } finally {
      await found.remove()
    }
  }

  async function fetch(place: FeedLocation, knownTag: string, signal: AbortSignal | undefined) {
    if (place.kind === 'url') return download(outbound, place.url, knownTag, downloads, signal)
    await access(place.path)
    return { path: place.path, tag: undefined, remove: async () => {} }
  }

  async function current(feed: FeedRow): Promise<SyncResult> {
    await book.noteCurrent(worker, feed.id, clock.now())
    return { place: feed.place, outcome: 'current' }
  }

  /** What broke while a feed was taken over is noted too, so that it is tried again later and somebody learns why. */
  async function broken(feed: FeedRow, error: unknown): Promise<SyncResult> {
    // A thread hands over what a Fault has, and not its class.
    if ((error as { code?: unknown }).code === 'unavailable') throw error
    return failed(feed, 'refused', brokenSentence(error), error)
  }

  async function failed(feed: FeedRow, kind: ProblemKind, problem: string, err?: unknown): Promise<SyncResult> {
    const { place } = feed
    const auditKeys = await db.auditKeys()
    const isNews = await db.worker(async (tx) => {
      const isNews = await book.noteProblem(tx, feed.id, { kind, problem, at: clock.now() })
      if (isNews) await auditFeed(tx, auditKeys, book, 'refuse', feed, { problem: kind })
      return isNews
    })
    // Said once, not at every attempt.
    log[isNews ? 'warn' : 'debug']({ place, problem, err }, problemLines[kind])
    return { place, outcome: 'refused', problem }
  }

  /** Looks every minute which of these feeds it is time for; one that failed is tried again soon. */
  function refreshing(places: readonly FeedLocation[], everyMinutes: number): Periodic {
    return {
      name: task,
      everySeconds: tickSeconds,
      run: async (signal) => {
        // All of them at once: as long as one was never taken over, not everything is known.
        const feeds = await Promise.all(places.map((place) => book.ensure(worker, feedLocationName(place))))
        const due = places.filter((_, at) => {
          const { problem, attemptedAt } = feeds[at]!
          const minutes = problem === '' ? everyMinutes : Math.min(retryMinutes, everyMinutes)
          const sinceMs = clock.now().getTime() - (attemptedAt?.getTime() ?? 0)
          // An attempt that is still to come was made under a clock that was wrong.
          return sinceMs >= minutes * 60_000 || sinceMs < -tickSeconds * 1_000
        })
        await eachInTurn(due, (place) => sync(place, { signal }))
      },
    }
  }

  return { sync, refreshing, list: () => book.list(worker) }
}

const brokenSentences: Record<string, string> = {
  EACCES: 'The feed cannot be read: Gatehouse may not open a file or folder of it.',
  EPERM: 'The feed cannot be read: Gatehouse may not open a file or folder of it.',
  EISDIR: 'The feed cannot be read: it is a folder, not a file.',
  ENOENT: 'The feed cannot be read: a part of it went away meanwhile.',
  ERR_WORKER_OUT_OF_MEMORY: 'The feed takes more memory to read than there is.',
}

function brokenSentence(error: unknown): string {
  const code = String((error as { code?: unknown }).code)
  return brokenSentences[code] ?? 'The feed could not be taken over because of an error. The log of the server has it.'
}
