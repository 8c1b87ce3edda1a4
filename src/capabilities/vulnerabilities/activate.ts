import type { FeedRow } from '../../feeds/book.ts'
import type { Activation } from '../../feeds/keeper.ts'
import { takeOver } from '../../feeds/take-over.ts'
import type { FeedItem } from '../../formats/osv/document.ts'
import type { WorkerQueryable } from '../../kernel/database.ts'
import * as store from './feed-store.ts'
import { toRow } from './record-row.ts'

type Options = { feed: FeedRow; items: AsyncIterable<FeedItem>; tag: string; force: boolean; now: Date }

/** Makes the records of a feed the active ones, in the transaction of the caller: whole or not at all. */
export async function activate(tx: WorkerQueryable, { feed, items, tag, force, now }: Options): Promise<Activation> {
  const before = await store.lockRevision(tx)
  const revision = before + 1
  await store.dropEnded(tx)
  const { gone, ...taken } = await takeOver({
    items,
    rowOf: toRow,
    known: await store.knownRecords(tx, feed.id),
    write: (rows) => store.upsert(tx, feed.id, revision, rows),
    what: 'advisories about vulnerabilities',
    force,
  })
  await store.unlist(tx, feed.id, revision, gone)
  const hasChanged = taken.added + taken.changed + gone.length > 0
  if (hasChanged) await store.setRevision(tx, revision)
  await store.book.noteActivation(tx, feed.id, { recordCount: taken.records, tag, at: now })
  return { ...taken, removed: gone.length, revision: hasChanged ? revision : before }
}
