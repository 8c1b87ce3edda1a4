import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import { outboxChannel } from '../../kernel/jobs/outbox.ts'
import type { DeadLetter } from './contract.ts'
import * as store from './store.ts'

export type DeadLetterService = ReturnType<typeof createDeadLetterService>

const mostAtOnce = 10_000

/** Jobs that were given up, for whoever can mend what they failed at. */
export function createDeadLetterService(db: Database) {
  async function list(actor: Actor, wanted: store.Wanted, request: PageRequest) {
    const reader = db.as(actor)
    const [found, total] = await Promise.all([store.list(reader, wanted, request), store.count(reader, wanted)])
    const { rows, ...page } = cutPage(found, request)
    return { deadLetters: rows.map(toDeadLetter), total, ...page }
  }

  function replay(actor: Actor, id: number): Promise<DeadLetter> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      await store.revive(tx, [id], outboxChannel)
      tx.audit({ action: 'dead-letter.replay', target: `job:${id}`, detail: { kind: row.kind } })
      return toDeadLetter(row)
    })
  }

  function replayAll(actor: Actor, kind: string | undefined): Promise<number> {
    return db.transaction(actor, async (tx) => {
      const ids = await store.lockSome(tx, kind, mostAtOnce)
      await store.revive(tx, ids, outboxChannel)
      tx.audit({
        action: 'dead-letter.replay-many',
        target: 'jobs',
        detail: { kind: kind ?? '', replayed: ids.length },
      })
      return ids.length
    })
  }

  function remove(actor: Actor, id: number): Promise<DeadLetter> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      await store.remove(tx, id)
      tx.audit({ action: 'dead-letter.delete', target: `job:${id}`, detail: { kind: row.kind } })
      return toDeadLetter(row)
    })
  }

  return { list, replay, replayAll, remove }
}

function required(row: store.DeadLetterRow | undefined, id: number): store.DeadLetterRow {
  if (!row) throw new Fault('not_found', `No dead letter ${id}.`)
  return row
}

function toDeadLetter({ id, kind, lane, key, attempt, error, created_at, dead_at }: store.DeadLetterRow): DeadLetter {
  const [createdAt, deadAt] = [created_at.toISOString(), dead_at.toISOString()]
  return { id: String(id), kind, lane, key, attempts: attempt, error, createdAt, deadAt }
}
