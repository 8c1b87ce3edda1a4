import { type Activation, activateFeed, type Change, type NewState } from '../../../feeds/activate.ts'
import { feedStatusStore } from '../../../feeds/feed-status-store.ts'
import { isMalicious } from '../../../formats/osv/malicious.ts'
import type { OsvRecord } from '../../../formats/osv/record.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import { endReviews, reviewWidelyUsed } from '../overrides/start-review-store.ts'
import { type AdvisoryRow, toRow, wholePackages } from './advisory-row.ts'
import * as store from './advisory-store.ts'

export const feedStatus = feedStatusStore('advisory')

export async function activate(tx: WorkerQueryable, state: NewState): Promise<Activation> {
  const activated = await activateFeed(tx, recordsAt(state.now), state)
  await store.notify(tx)
  return activated
}

const recordsAt = (now: Date) => ({
  book: feedStatus,
  what: 'advisories about malicious packages',
  rowOf: (record: OsvRecord) => (isMalicious(record) ? toRow(record) : undefined),
  known: store.knownAdvisories,
  write: (tx: WorkerQueryable, change: Change, rows: AdvisoryRow[]) => write(tx, change, rows, now),
  unlist,
})

async function write(tx: WorkerQueryable, change: Change, rows: AdvisoryRow[], now: Date): Promise<void> {
  const ids = rows.map((row) => row.id)
  const blocking = await store.wholeAlready(tx, change.feedId, ids)
  await store.upsert(tx, change, rows)
  // What blocks already goes on doing so: only an entry that is new is held.
  const fresh = rows.filter((row) => !blocking.has(row.id))
  await reviewWidelyUsed(tx, fresh.flatMap(wholePackages), now)
  await endReviews(
    tx,
    rows.filter((row) => !row.live).map((row) => row.id),
  )
}

/** For a feed that is removed. */
export async function unlistAll(tx: WorkerQueryable, change: Change): Promise<void> {
  await endReviews(tx, await store.unlistAll(tx, change))
}

async function unlist(tx: WorkerQueryable, change: Change, ids: string[]): Promise<void> {
  await store.unlist(tx, change, ids)
  await endReviews(tx, ids)
}
