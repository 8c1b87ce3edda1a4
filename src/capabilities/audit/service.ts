import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPageBy } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { AuditEvent, AuditHead } from './contract.ts'
import * as store from './store.ts'

export type AuditService = ReturnType<typeof createAuditService>

export function createAuditService(db: Database) {
  async function list(actor: Actor, page: { cursor?: number; pageSize?: number }) {
    const size = page.pageSize ?? 100
    const rows = await store.list(db.as(actor), page.cursor || Number.MAX_SAFE_INTEGER, size + 1)
    const { rows: shown, ...rest } = cutPageBy(rows, { size }, (row) => row.seq)
    return { events: shown.map(toEvent), ...rest }
  }

  async function head(actor: Actor): Promise<{ head: AuditHead }> {
    const row = await store.head(db.as(actor))
    if (!row?.at) throw new Fault('not_found', `The audit log of deployment ${actor.deploymentId} is empty.`)
    const { seq, hash, at } = row
    return { head: { deploymentId: actor.deploymentId, seq, hash: hash.toString('hex'), at: at.toISOString() } }
  }

  return { list, head }
}

function toEvent(row: store.EventRow): AuditEvent {
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
