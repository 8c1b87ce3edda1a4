import type { Logger } from 'pino'
import { systemActor } from '../../kernel/access/actor.ts'
import { anchorSeal } from '../../kernel/database/audit-chain.ts'
import type { Database } from '../../kernel/database/database.ts'
import { eachDeployment } from '../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../kernel/jobs/job.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import * as store from './store.ts'
import { follow } from './verify.ts'

/** Before that, nobody removes anything: `audit_forget` does not. */
export const fewestAuditDays = 32

const everySeconds = 3_600
const dayMs = 86_400_000
/** In one transaction, and this many of them in one go: who lowers the setting has it done over some hours. */
const batch = 10_000
const mostBatches = 100

export type AuditRetention = {
  db: Database
  clock: Clock
  log: Logger
  days: number | undefined
  /** Whether the operator has a receiver for the logs of all deployments. */
  pushesSyslog: boolean
}

/**
 * Removes events that are older than this many days; undefined: none. Each is checked before it goes, so that nothing
 * that somebody changed is cleared away; nothing goes that a receiver has still to take; and the log records every removal.
 */
export function createAuditRetention(given: AuditRetention): Periodic {
  const { db, clock, log, days, pushesSyslog } = given
  // Of a receiver that the operator has taken away, a position may be left.
  const receivers = pushesSyslog ? ['webhook', 'syslog'] : ['webhook']

  async function removeSome(deploymentId: number, before: Date): Promise<boolean> {
    const actor = systemActor(deploymentId, 'audit-retention')
    const reader = db.as(actor)
    const head = await store.head(reader)
    if (!head) return false
    const anchor = await store.anchor(reader)
    const taken = await store.takenUpTo(reader, receivers)
    const from = anchor?.seq ?? 0
    const due = Math.min((await store.placeOf(reader, before)) - 1, head.seq - 1, taken ?? head.seq)
    const upTo = Math.min(due, from + batch)
    if (upTo <= from) return false
    const keys = await db.auditKeys()
    const { broken, hash } = await follow(reader, keys, upTo)
    if (broken) {
      log.error({ deploymentId, ...broken }, 'the audit log was changed, so nothing of it is removed')
      return false
    }
    const seal = anchorSeal(keys.keys.get(keys.newest)!, deploymentId, { seq: upTo, hash })
    await db.transaction(actor, async (tx) => {
      await store.forget(tx, upTo, keys.newest, seal)
      const detail = { from: from + 1, upTo, hash: hash.toString('hex'), before: before.toISOString() }
      tx.audit({ action: 'audit.retention', target: 'audit', detail })
    })
    return upTo < due
  }

  return {
    name: 'audit.retention',
    everySeconds,
    run: async () => {
      if (days === undefined) return
      const before = new Date(clock.now().getTime() - days * dayMs)
      await eachDeployment(db, async (id) => {
        for (let batches = 0; batches < mostBatches; batches++) if (!(await removeSome(id, before))) break
      })
    },
  }
}
