import { randomUUID } from 'node:crypto'
import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../../vault/sealed-transaction.ts'
import { type CertificateRow, listCertificates } from '../certificates/certificate-store.ts'
import * as store from '../store.ts'
import { hashOf, newWebhookSecret } from '../webhooks/webhook-secret.ts'
import { StepFailure } from './step.ts'

/** An app that only we talk to the outside for, until the lease is given back or runs out. */
export type HeldApp = { app: store.AppRow; certificates: CertificateRow[]; lease: string }

// Longer than the work under it may take, so that it ends by itself only where a process has died.
const leaseSeconds = 60

/** The outside must not be asked twice at once, and no transaction may wait for it: so a lease is kept in the row. */
export function createLeases({ db, ring, clock }: { db: Database; ring: KeyRing; clock: Clock }) {
  /** Undefined where there is no such app. */
  async function take(actor: Actor, id: number, { withSecret }: { withSecret: boolean }): Promise<HeldApp | undefined> {
    const found = await store.find(db.as(actor), id)
    if (!found) return undefined
    const plaintext = newWebhookSecret()
    const place = sealedFieldOf(sealedColumns.scmAppWebhookSecret, id)
    const secret = withSecret && !found.webhook_secret ? { plaintext, place } : undefined
    const lease = randomUUID()
    return sealedTransaction({ db, ring }, doneEachTime(actor), secret, async (tx, sealed) => {
      const made = sealed && { sealed, hash: hashOf(plaintext) }
      const app = await store.claim(tx, id, { id: lease, seconds: leaseSeconds }, made)
      if (app) return { app, lease, certificates: await listCertificates(tx, [id]) }
      if (!(await store.find(tx, id))) return undefined
      throw new Fault('conflict', `App ${id} is being completed or deleted right now; try again in a minute.`)
    })
  }

  /** Gives the lease back however `work` ends. A step that failed is kept with the app and told. */
  async function holding<T>(actor: Actor, { app, lease }: HeldApp, work: () => Promise<T>): Promise<T> {
    let failure: store.Failure | undefined
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      failure = { step: error.step, detail: error.message, at: clock.now() }
      throw new Fault('unprocessable', `The step '${error.step}' failed: ${error.message}`)
    } finally {
      // If the database is away the lease runs out by itself.
      await giveBack(actor, app.id, lease, failure).catch(() => {})
    }
  }

  function giveBack(actor: Actor, id: number, lease: string, failure: store.Failure | undefined): Promise<void> {
    return db.transaction(doneEachTime(actor), async (tx) => {
      await store.release(tx, id, lease, failure)
      if (!failure) return
      const { step, detail } = failure
      tx.audit({ action: 'scm-app.complete-failed', target: `scm-app:${id}`, detail: { step, detail } })
    })
  }

  return { take, holding }
}
