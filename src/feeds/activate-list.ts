import type { WorkerQueryable } from '../kernel/database/database.ts'
import type { Activation, NewState } from './activate.ts'
import type { FeedStatusStore } from './feed-status-store.ts'
import { refuseLoss } from './replace-records.ts'

/** Where the entries of one kind of list about CVEs are kept, and how. */
export type ListEntries<Entry extends { cve: string }> = {
  book: FeedStatusStore
  /** What is stored of a feed, by CVE. */
  known: (tx: WorkerQueryable, feedId: number) => Promise<ReadonlyMap<string, Entry>>
  isSame: (one: Entry, other: Entry) => boolean
  upsert: (tx: WorkerQueryable, feedId: number, entries: readonly Entry[]) => Promise<void>
  remove: (tx: WorkerQueryable, feedId: number, cves: readonly string[]) => Promise<void>
}

const batchRows = 10_000

/** Makes the entries of a list the active ones, in the transaction of the caller: whole or not at all. */
export async function activateList<Entry extends { cve: string }>(
  tx: WorkerQueryable,
  { book, known: readKnown, isSame, upsert, remove }: ListEntries<Entry>,
  { feed, tag, force, now }: Omit<NewState, 'items' | 'path'>,
  entries: ReadonlyMap<string, Entry>,
): Promise<Activation> {
  const before = await book.lockRevision(tx)
  const known = await readKnown(tx, feed.id)
  const gone = [...known.keys()].filter((cve) => !entries.has(cve))
  if (!force) refuseLoss('entries', { gone: gone.length, before: known.size })
  const news = [...entries.values()].filter((entry) => {
    const stored = known.get(entry.cve)
    return !stored || !isSame(stored, entry)
  })
  for (let at = 0; at < news.length; at += batchRows) await upsert(tx, feed.id, news.slice(at, at + batchRows))
  await remove(tx, feed.id, gone)
  const hasChanged = news.length + gone.length > 0
  const revision = hasChanged ? before + 1 : before
  if (hasChanged) await book.setRevision(tx, revision)
  await book.noteActivation(tx, feed.id, { recordCount: entries.size, tag, at: now })
  const added = news.filter(({ cve }) => !known.has(cve)).length
  const changed = news.length - added
  return { records: entries.size, added, changed, otherRecords: 0, removed: gone.length, revision }
}
