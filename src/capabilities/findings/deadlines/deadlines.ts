import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { FindingDeadlines } from './contract.ts'
import * as store from './store.ts'

/** Before anybody has set one; the first that is saved finds the version 1. */
const none: store.DeadlineRow = { critical: null, high: null, medium: null, low: null, info: null, version: 1 }

export function createFindingDeadlines(db: Database) {
  async function deadlines(actor: Actor): Promise<FindingDeadlines> {
    return toDeadlines((await store.find(db.as(actor))) ?? none)
  }

  function setDeadlines(actor: Actor, to: FindingDeadlines): Promise<FindingDeadlines> {
    return db.transaction(actor, async (tx) => {
      const { version, ...from } = await store.lock(tx)
      requireVersion(actor, version)
      tx.audit({ action: 'finding.deadlines', target: 'findings', detail: { from, to } })
      return toDeadlines(await store.update(tx, to))
    })
  }

  return { deadlines, setDeadlines }
}

function toDeadlines({ version, ...deadlines }: store.DeadlineRow): FindingDeadlines {
  return withVersion(deadlines, version)
}
