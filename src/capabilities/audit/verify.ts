import {
  type AuditHead,
  type AuditKeys,
  brokenAction,
  type ChainedEvent,
  isAnchored,
  isSealed,
  keyedHash,
  plainHash,
} from '../../kernel/database/audit-chain.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import * as store from './store.ts'

export type Break = { seq: number; reason: string }

/** An end of the log that was written down elsewhere: the event is still there, and so is everything before it. */
export type ExportedHead = { seq: number; hash: string }

const batchSize = 1_000

/**
 * The first event whose place, hash or end of chain is not what the events before it and the keys say; undefined when all is
 * well. Hashes are made here, from what the rows say: the database is who is being checked.
 */
export async function firstBreak(
  db: Queryable,
  keys: AuditKeys,
  exported: readonly ExportedHead[] = [],
): Promise<Break | undefined> {
  const head = await store.head(db)
  if (!head) return { seq: 0, reason: 'the log is missing' }
  const { broken, seq, hash } = await follow(db, keys, head.seq, exported)
  if (broken) return broken
  if (seq !== head.seq || !hash.equals(head.hash)) return { seq: head.seq, reason: 'the end of the log is missing' }
  if (!isSealed(keys, db.deploymentId, head)) return { seq, reason: 'the end of the log is not sealed' }
  const missing = exported.find((one) => one.seq > seq)
  return missing && { seq: missing.seq, reason: 'it was exported and is missing' }
}

/** How far the chain was followed, and the hash there; and where it breaks, if it does. */
export type Followed = { seq: number; hash: Buffer; broken: Break | undefined }

/** From the first event that is left to a place. */
export async function follow(
  db: Queryable,
  keys: AuditKeys,
  upTo: number,
  exported: readonly ExportedHead[] = [],
): Promise<Followed> {
  const head = await store.head(db)
  const anchor = await store.anchor(db)
  const known = new Map(exported.map((one) => [one.seq, one.hash.toLowerCase()]))
  const isAnother = (seq: number, hash: Buffer) => known.has(seq) && known.get(seq) !== hash.toString('hex')
  let { seq, hash: previous }: { seq: number; hash: Buffer } = anchor ?? { seq: 0, hash: Buffer.alloc(0) }
  const stop = (at: number, reason: string): Followed => ({ seq, hash: previous, broken: { seq: at, reason } })
  if (anchor && !isAnchored(keys, db.deploymentId, anchor)) return stop(seq, 'events up to it are missing')
  if (isAnother(seq, previous)) return stop(seq, 'it is not the one that was exported')
  for (;;) {
    const events = await store.listChained(db, { after: seq, upTo, limit: batchSize })
    for (const { hash, keyVersion, ...event } of events) {
      seq++
      const reason = faultOf(keys, head!, previous, event, { seq, hash, keyVersion })
      if (reason) return stop(event.seq, reason)
      if (isAnother(seq, hash)) return stop(seq, 'it is not the one that was exported')
      previous = hash
    }
    if (events.length < batchSize) return { seq, hash: previous, broken: undefined }
  }
}

function faultOf(
  keys: AuditKeys,
  head: AuditHead,
  previous: Buffer,
  event: ChainedEvent,
  stored: { seq: number; hash: Buffer; keyVersion: number | null },
): string | undefined {
  if (event.seq !== stored.seq) return 'an event is missing before it'
  if (event.action === brokenAction) return 'the log before it was changed'
  if (stored.keyVersion === null) {
    // Only what is older than the key; from where on is said by the sealed end of the log.
    if (stored.seq >= (head.keyedFrom ?? 0)) return 'it is not keyed'
    return stored.hash.equals(plainHash(previous, event)) ? undefined : 'it was changed'
  }
  const key = keys.keys.get(stored.keyVersion)
  return key && stored.hash.equals(keyedHash(key, previous, event)) ? undefined : 'it was changed'
}
