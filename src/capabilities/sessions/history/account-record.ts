import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, IdentityQueryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import * as store from './record-store.ts'

export type AccountRecord = ReturnType<typeof createAccountRecord>

// How long failed sign-ins of an account are summed up before they become one entry.
const failureMs = 5 * 60_000
const atOnce = 500
// A deployment whose log is busy does not keep its people from signing in; the entry comes a moment later.
const patienceMs = 1_000

/**
 * Sign-ins and password changes concern every deployment a person belongs to. They are recorded with the change itself and
 * moved into each audit log afterwards, exactly once: right away, and by the periodic work where that did not succeed.
 */
export function createAccountRecord({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
  /** In the transaction of the change; what it returns goes to `tell` when that has been committed. */
  function note(
    tx: IdentityQueryable,
    personId: number,
    event: { actorId?: number; requestId: string; action: string; detail: Record<string, unknown> },
  ): Promise<store.AccountEvent[]> {
    return store.insertEvents(tx, personId, { actorId: personId, ...event })
  }

  async function tell(events: store.AccountEvent[]): Promise<void> {
    await Promise.race([move(events), delay(patienceMs, undefined, { ref: false })])
  }

  /** One that fails, because its deployment is busy, does not hold up the others. It is moved the next time. */
  async function move(events: store.AccountEvent[]): Promise<void> {
    for (const event of events) {
      await moveOne(event).catch((error) => log.warn({ err: error }, 'an account event is not in the audit log yet'))
    }
  }

  function moveOne({ deployment_id, id, actor_id, request_id, action, target, detail }: store.AccountEvent) {
    const actor = { ...systemActor(deployment_id, request_id), personId: actor_id }
    return db.transaction(actor, async (tx) => {
      if (await store.takeEvent(tx, id)) tx.audit({ action, target, detail })
    })
  }

  /** The same for accounts that exist and those that do not, so that nobody can tell them apart by the time it takes. */
  function noteFailure(personId: number | undefined, network: string): Promise<void> {
    return store.noteFailure({ query: db.identityQuery }, personId ?? 0, network, clock.now())
  }

  /** Failed sign-ins whose time is over become events; then everything that waits is moved. */
  async function settle(): Promise<void> {
    const strangers = await db.identity(async (tx) => {
      const all = await store.takeFailures(tx, new Date(clock.now().getTime() - failureMs))
      for (const { person_id, since, failures, networks } of all.filter((each) => each.person_id !== 0)) {
        const detail = { failures, since: since.toISOString(), networks }
        const event = { actorId: 0, requestId: 'sign-in', action: 'person.sign-in-failed', detail }
        await store.insertEvents(tx, person_id, event)
      }
      return all.find((each) => each.person_id === 0)
    })
    if (strangers) {
      const { since, failures, networks } = strangers
      log.warn({ since, failures, networks }, 'failed sign-ins of accounts that do not exist')
    }
    await move(await store.listEvents({ query: db.identityQuery }, atOnce))
  }

  return { note, tell, noteFailure, settle }
}
