import sql from 'sql-template-tag'
import type { ActionOrder } from '../../../domain/trigger-event.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { type JobHandler, type Periodic, Permanent } from '../../../kernel/jobs/job.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import type { ActionType } from '../automation.ts'
import * as store from '../store.ts'
import { type ActionPayload, actionKind } from './drafts.ts'
import * as runs from './run-store.ts'

/** Who carries out what. `secret` is what of the action's settings is stored sealed, `at` when it happened. */
export type Performers = Partial<
  Record<ActionType, (order: ActionOrder, more: { secret: string; at: string }) => Promise<void>>
>

export function actionJob(options: {
  db: Database
  ring: KeyRing
  performer(type: ActionType): Performers[ActionType]
}): JobHandler {
  const { db, ring, performer } = options
  return {
    kind: actionKind,
    async run({ id, deploymentId, payload, attempt, key, signal }) {
      const { actionId, runId, occasion, subjects, total, recipient, at } = payload as ActionPayload
      const actor = systemActor(deploymentId, `job-${id}`)
      const action = await store.findAction(db.as(actor), actionId)
      // It was deleted meanwhile, and what it had not done with it.
      if (!action) return
      const perform = performer(action.type)
      if (!perform) throw new Permanent(`This Gatehouse cannot carry out ${action.type} any more.`)
      const place = sealedFieldOf(sealedColumns.automationActionSecret, actionId)
      const secret = action.secret ? (await ring.open(String(deploymentId), action.secret, place)).toString('utf8') : ''
      const automation = { id: String(action.automationId), name: action.automationName }
      const config = { ...action.config, ...(recipient === undefined ? {} : { to: [recipient] }) }
      const order = {
        deploymentId,
        automation,
        actionId: String(actionId),
        config,
        occasion,
        subjects,
        total,
        key,
        signal,
      }
      await perform(order, { secret, at })
      await db.transaction(actor, (tx) => runs.finish(tx, runId, attempt))
    },
  }
}

/** The history is not kept for ever; the policy of the table says how long. */
export function runCleaning(db: Database): Periodic {
  return {
    name: 'automations.clean',
    everySeconds: 3_600,
    run: async () =>
      void (await db.workerQuery(sql`delete from automation_run where created_at < now() - interval '90 days'`)),
  }
}
