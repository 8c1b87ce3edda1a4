import { type Activation, activateFeed, type NewState } from '../../../feeds/activate.ts'
import { feedStatusStore } from '../../../feeds/feed-status-store.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import * as store from './feed-store.ts'
import { toRow } from './record-row.ts'

export const feedStatus = feedStatusStore('vulnerability')

export async function activate(tx: WorkerQueryable, state: NewState): Promise<Activation> {
  const activated = await activateFeed(tx, records, state)
  await store.dropEnded(tx)
  return activated
}

const records = {
  book: feedStatus,
  what: 'advisories about vulnerabilities',
  rowOf: toRow,
  known: store.knownRecords,
  write: store.upsert,
  unlist: store.unlist,
}
