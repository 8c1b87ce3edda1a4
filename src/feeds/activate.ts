import type { FeedItem } from '../formats/osv/document.ts'
import type { OsvRecord } from '../formats/osv/record.ts'
import type { WorkerQueryable } from '../kernel/database/database.ts'
import type { FeedRow, FeedStatusStore } from './feed-status-store.ts'
import { type Entry, type KnownRecord, type ReplacementCounts, replaceRecords } from './replace-records.ts'

/** Which feed a change is of, and the revision that it makes. */
export type Change = { feedId: number; revision: number }

/** Where the records of one kind of feed are kept, and how. */
export type FeedRecords<Row extends Entry> = {
  book: FeedStatusStore
  /** What the records are called: `advisories`. */
  what: string
  /** Undefined for a record that is about something else. */
  rowOf: (record: OsvRecord) => Row | undefined
  /** What is stored of a feed, by id. */
  known: (tx: WorkerQueryable, feedId: number) => Promise<Map<string, KnownRecord>>
  write: (tx: WorkerQueryable, change: Change, rows: Row[]) => Promise<void>
  /** They are no longer in their feed. */
  unlist: (tx: WorkerQueryable, change: Change, ids: string[]) => Promise<void>
}

export type Activation = Omit<ReplacementCounts, 'gone'> & { removed: number; revision: number }

export type NewState = {
  feed: FeedRow
  /** The file or folder, and the records in it where they are in the OSV format. */
  path: string
  items: AsyncIterable<FeedItem>
  tag: string
  force: boolean
  now: Date
}

/** Makes the records of a feed the active ones, in the transaction of the caller: whole or not at all. */
export async function activateFeed<Row extends Entry>(
  tx: WorkerQueryable,
  { book, what, rowOf, known, write, unlist }: FeedRecords<Row>,
  { feed, items, tag, force, now }: NewState,
): Promise<Activation> {
  const before = await book.lockRevision(tx)
  const change = { feedId: feed.id, revision: before + 1 }
  const { gone, ...taken } = await replaceRecords({
    items,
    rowOf,
    known: await known(tx, feed.id),
    write: (rows) => write(tx, change, rows),
    what,
    force,
  })
  if (gone.length > 0) await unlist(tx, change, gone)
  const hasChanged = taken.added + taken.changed + gone.length > 0
  if (hasChanged) await book.setRevision(tx, change.revision)
  await book.noteActivation(tx, feed.id, { recordCount: taken.records, tag, at: now })
  return { ...taken, removed: gone.length, revision: hasChanged ? change.revision : before }
}
