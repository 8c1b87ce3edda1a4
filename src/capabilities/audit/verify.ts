import {
  type AuditHead,
  type AuditKeys,
  brokenAction,
  type ChainedEvent,
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
  const known = new Map(exported.map(({ seq, hash }) => [seq, hash.toLowerCase()]))
  let previous: Buffer = Buffer.alloc(0)
  let seq = 0
  for (;;) {
    const events = await store.listChained(db, { after: seq, upTo: head.seq, limit: batchSize })
    for (const { hash, keyVersion, ...event } of events) {
      seq++
      const reason = faultOf(keys, head, previous, event, { seq, hash, keyVersion })
      if (reason) return { seq: event.seq, reason }
      if (known.has(seq) && known.get(seq) !== hash.toString('hex')) {
        return { seq, reason: 'it is not the one that was exported' }
      }
      previous = hash
    }
    if (events.length < batchSize) break
  }
  if (seq !== head.seq || !previous.equals(head.hash)) return { seq: head.seq, reason: 'the end of the log is missing' }
  if (!isSealed(keys, db.deploymentId, head)) return { seq, reason: 'the end of the log is not sealed' }
  const missing = exported.find((one) => one.seq > seq)
  return missing && { seq: missing.seq, reason: 'it was exported and is missing' }
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
