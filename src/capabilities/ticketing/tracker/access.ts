import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import * as store from '../instances/store.ts'
import { resume } from '../sync/resume-unfinished.ts'
import { createTracker, type Tracker } from './tracker.ts'
import { TrackerError } from './tracker-error.ts'

export type AccessOptions = { db: Database; ring: KeyRing; outbound: Outbound; clock: Clock; timeoutMs?: number }
export type Access = ReturnType<typeof createAccess>

// A configuration makes up to six requests, which together must be over before the request that asked for it is.
const oneRequestMs = 8_000

/** The way to a tracker, and what its answers say about our being let in. */
export function createAccess({ db, ring, outbound, clock, timeoutMs = oneRequestMs }: AccessOptions) {
  /** Where and as whom is read together with the token, so that a change meanwhile cannot mix them. */
  async function using<T>(actor: Actor, row: store.InstanceRow, work: (tracker: Tracker) => Promise<T>): Promise<T> {
    const place = sealedFieldOf(sealedColumns.ticketingApiToken, row.id)
    const apiToken = (await ring.open(String(actor.deploymentId), row.apiToken!, place)).toString('utf8')
    try {
      const result = await work(createTracker(outbound, { url: row.url, email: row.email, apiToken }, timeoutMs))
      if (row.authRevokedAt) await note(actor, row, 'ticketing.access-regained', accepted)
      return result
    } catch (error) {
      if (error instanceof TrackerError && error.reason === 'unauthorized') {
        await note(actor, row, 'ticketing.access-lost', (tx, id, tokenNumber) =>
          store.markRevoked(tx, id, tokenNumber, clock.now()),
        )
      }
      throw error
    }
  }

  /** Apart from the request's own transactions, and also for a repeated Idempotency-Key. */
  function note(actor: Actor, row: store.InstanceRow, action: string, mark: typeof store.markAccepted) {
    return db.transaction(doneEachTime(actor), async (tx) => {
      const isNews = await mark(tx, row.id, row.tokenNumber)
      if (isNews) tx.audit({ action, target: `ticketing-instance:${row.id}`, detail: { url: row.url } })
    })
  }

  return { using }
}

/** Whether it was news. If so, what was given up while the tracker refused us is tried again. */
async function accepted(tx: Transaction, id: number, tokenNumber: number): Promise<boolean> {
  const isNews = await store.markAccepted(tx, id, tokenNumber)
  if (isNews) await resume(tx, id)
  return isNews
}
