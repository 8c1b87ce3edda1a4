import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import type { AuditEntry } from './transaction.ts'

/** The keys that the chain is made with, by version. The newest makes what is new. */
export type AuditKeys = { newest: number; keys: ReadonlyMap<number, KeyObject> }

/** In whose log, and who did it. */
export type Author = { deploymentId: number; personId: number; tokenId: number; requestId: string }

export type AuditHead = {
  seq: number
  hash: Buffer
  keyedFrom: number | null
  keyVersion: number | null
  seal: Buffer | null
}

/** Where the log begins, after older events were removed: the last of those, and that it was the server who did it. */
export type AuditAnchor = { seq: number; hash: Buffer; keyVersion: number; seal: Buffer }

/** What the hash of an event is over. The detail is in PostgreSQL's spelling, the time in microseconds since 1970. */
export type ChainedEvent = Author & { seq: number; at: number; action: string; target: string; detail: string }

type Statements = { query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> }

/** The action of an entry that the server itself makes where it finds that the end of the log is not the one it left. */
export const brokenAction = 'audit.broken'
export const keyedAction = 'audit.keyed'

/** Writes to the log of the deployment that the transaction is set to. The end of it is held from here to the commit. */
export async function appendAudit(...given: Parameters<typeof nextAudit>): Promise<void> {
  await given[0].query(await nextAudit(...given))
}

/** The same, up to the statement that writes: for whoever sends it together with the commit. */
export async function nextAudit(
  tx: Statements,
  keys: AuditKeys,
  author: Author,
  entries: readonly AuditEntry[],
  /** For a log that was never keyed: its end is taken as it is found. */
  { adopting = false } = {},
): Promise<Sql> {
  const { deploymentId, personId, tokenId } = author
  const requestId = author.requestId.toWellFormed()
  const details = entries.map(({ detail }) => JSON.stringify(detail ?? {}))
  const [found] = await tx.query<AuditHead & { at: number; texts: string[] }>(sql`select seq, hash,
      keyed_from as "keyedFrom", key_version as "keyVersion", seal, at, texts
    from audit_head_for_append(${deploymentId}::bigint, ${details}::text[])`)
  const { at, texts, ...head } = found!
  const isUnkeyed = head.keyedFrom === null && head.seal === null
  const isOurs = (isUnkeyed && (head.seq === 0 || adopting)) || isSealed(keys, deploymentId, head)
  const written = entries.map(({ action, target }, index) => ({
    action: action.toWellFormed(),
    target: target.toWellFormed(),
    detail: texts[index]!,
  }))
  // It goes on, so that nobody is locked out by it, and the log itself says for ever where it was changed.
  if (!isOurs) written.unshift({ action: brokenAction, target: `audit:${head.seq}`, detail: '{}' })

  const key = keys.keys.get(keys.newest)!
  let previous = head.hash
  const events = written.map((entry, index) => {
    const event = { deploymentId, seq: head.seq + 1 + index, at, personId, tokenId, requestId, ...entry }
    previous = keyedHash(key, previous, event)
    return { ...entry, hash: previous.toString('hex') }
  })
  const keyedFrom = head.keyedFrom ?? head.seq + 1
  const next = { seq: head.seq + events.length, hash: previous, keyedFrom, keyVersion: keys.newest }
  return sql`select audit_append(${deploymentId}::bigint, ${head.seq}::bigint, ${at}::bigint, ${personId}::bigint,
    ${tokenId}::bigint, ${requestId}, ${JSON.stringify(events)}::jsonb, ${keyedFrom}::bigint, ${keys.newest}::integer,
    ${sealOf(key, deploymentId, next)})`
}

export function keyedHash(key: KeyObject, previous: Buffer, event: ChainedEvent): Buffer {
  return createHmac('sha256', key).update('event\0').update(previous).update(chainedText(event)).digest()
}

/** As events were chained before there was a key. */
export function plainHash(previous: Buffer, event: ChainedEvent): Buffer {
  return createHash('sha256').update(previous).update(chainedText(event)).digest()
}

/** Whether this is the end that the server left. */
export function isSealed(keys: AuditKeys, deploymentId: number, head: AuditHead): boolean {
  const key = head.keyVersion === null ? undefined : keys.keys.get(head.keyVersion)
  if (!key || !head.seal) return false
  const expected = sealOf(key, deploymentId, head)
  return head.seal.length === expected.length && timingSafeEqual(head.seal, expected)
}

function sealOf(key: KeyObject, deploymentId: number, head: Omit<AuditHead, 'seal'>): Buffer {
  const text = [deploymentId, head.seq, head.keyedFrom, head.hash.toString('hex')].join(' ')
  return createHmac('sha256', key).update('head\0').update(text).digest()
}

/** Whether the server removed everything up to there. */
export function isAnchored(keys: AuditKeys, deploymentId: number, anchor: AuditAnchor): boolean {
  const key = keys.keys.get(anchor.keyVersion)
  const expected = key && anchorSeal(key, deploymentId, anchor)
  return expected !== undefined && anchor.seal.length === expected.length && timingSafeEqual(anchor.seal, expected)
}

export function anchorSeal(
  key: KeyObject,
  deploymentId: number,
  { seq, hash }: Pick<AuditAnchor, 'seq' | 'hash'>,
): Buffer {
  return createHmac('sha256', key)
    .update('anchor\0')
    .update([deploymentId, seq, hash.toString('hex')].join(' '))
    .digest()
}

/** What a hash is over, besides the one before: an array in PostgreSQL's spelling of jsonb. */
export function chainedText(event: ChainedEvent): string {
  const { deploymentId, seq, at, personId, tokenId, requestId, action, target, detail } = event
  const texts = [requestId, action, target].map((text) => JSON.stringify(text))
  return `[${[deploymentId, seq, at, personId, tokenId, ...texts, detail].join(', ')}]`
}
