import { type Actor, doneEachTime } from '../../kernel/access/actor.ts'
import type { Download } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPageBy } from '../../kernel/contract/pagination.ts'
import { chainedText } from '../../kernel/database/audit-chain.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import { createSemaphore } from '../../kernel/threads/semaphore.ts'
import type { AuditEvent, AuditFilter, AuditHead } from './contract.ts'
import * as store from './store.ts'
import { type ExportedHead, firstBreak } from './verify.ts'

export type AuditService = ReturnType<typeof createAuditService>

/** This many events are looked through for one page of a filtered list. */
const lookedThrough = 50_000
const exportPage = 1_000
/** The clock of the database may have been set back by a little. */
const slack = 1_000

type ListQuery = AuditFilter & { cursor?: number; pageSize?: number }

export function createAuditService(db: Database) {
  const verifying = createSemaphore(1, 10_000)

  async function list(actor: Actor, { cursor, pageSize, ...filter }: ListQuery) {
    const size = pageSize ?? 100
    const reader = db.as(actor)
    const { low, high } = await spanOf(reader, filter, cursor || Number.MAX_SAFE_INTEGER)
    const from = Object.keys(filter).length > 0 ? Math.max(low, high - lookedThrough) : low
    const rows = await store.list(reader, { low: from, high }, filter, { limit: size + 1 })
    const { rows: shown, ...rest } = cutPageBy(rows, { size }, (row) => row.seq)
    const page = rest.hasMore || from <= low ? rest : { hasMore: true, cursor: String(from) }
    return { events: shown.map(toEvent), ...page }
  }

  /** Of the chain, the part that may have events of the time that is asked for. */
  async function spanOf(reader: Queryable, { since, until }: AuditFilter, before: number): Promise<store.Span> {
    const last = (await store.head(reader))?.seq ?? 0
    const end = until === undefined ? last : (await store.placeOf(reader, new Date(until))) + slack
    const first = ((await store.anchor(reader))?.seq ?? 0) + 1
    const start = since === undefined ? first : (await store.placeOf(reader, new Date(since))) - slack
    return { low: Math.max(first, start), high: Math.min(before, end + 1, last + 1) }
  }

  /** Everything that is there when it begins, oldest first. */
  async function exportAs(actor: Actor, filter: AuditFilter, chained: boolean): Promise<Download> {
    const span = await spanOf(db.as(actor), filter, Number.MAX_SAFE_INTEGER)
    await db.transaction(doneEachTime(actor), async (tx) =>
      tx.audit({ action: 'audit.export', target: 'audit', detail: { filter } }),
    )
    return { mediaType: 'application/x-ndjson', fileName: 'audit.jsonl', pieces: lines(actor, span, filter, chained) }
  }

  async function* lines(
    actor: Actor,
    { low, high }: store.Span,
    filter: AuditFilter,
    chained: boolean,
  ): AsyncGenerator<string> {
    for (let from = low; from < high; from += lookedThrough) {
      const to = Math.min(high, from + lookedThrough)
      for (let after = from; ; ) {
        const span = { low: after, high: to }
        const rows = await store.list(db.as(actor), span, filter, { limit: exportPage, oldestFirst: true })
        const texts = chained ? await chainedTexts(actor, rows) : undefined
        for (const row of rows) yield `${JSON.stringify({ ...toEvent(row), ...texts?.get(row.seq) })}\n`
        if (rows.length < exportPage) break
        after = rows.at(-1)!.seq + 1
      }
    }
  }

  /** What the hashes are over, byte for byte, and with which key: for whoever makes them again elsewhere. */
  async function chainedTexts(actor: Actor, rows: readonly store.EventRow[]) {
    if (rows.length === 0) return new Map<number, object>()
    const span = { after: rows[0]!.seq - 1, upTo: rows.at(-1)!.seq, limit: lookedThrough }
    const events = await store.listChained(db.as(actor), span)
    return new Map(
      events.map(({ hash: _, keyVersion, ...event }) => [event.seq, { chained: chainedText(event), keyVersion }]),
    )
  }

  /** One at a time: it reads the whole log. */
  function verify(actor: Actor, heads: readonly ExportedHead[]) {
    return verifying.run(async () => {
      const reader = db.as(actor)
      const broken = await firstBreak(reader, await db.auditKeys(), heads)
      const last = (await store.head(reader))?.seq ?? 0
      const removed = (await store.anchor(reader))?.seq ?? 0
      return { whole: broken === undefined, events: last - removed, brokenAt: broken ?? null }
    })
  }

  async function head(actor: Actor): Promise<{ head: AuditHead }> {
    const row = await store.head(db.as(actor))
    if (!row?.at) throw new Fault('not_found', `The audit log of deployment ${actor.deploymentId} is empty.`)
    const { seq, hash, at } = row
    return { head: { deploymentId: actor.deploymentId, seq, hash: hash.toString('hex'), at: at.toISOString() } }
  }

  return { list, head, exportAs, verify }
}

export function toEvent(row: store.EventRow): AuditEvent {
  const { seq, action, target, detail } = row
  return {
    seq,
    at: row.at.toISOString(),
    personId: row.person_id,
    personName: row.person_name,
    tokenId: row.token_id,
    tokenName: row.token_name,
    requestId: row.request_id,
    action,
    target,
    detail,
    hash: row.hash.toString('hex'),
  }
}
