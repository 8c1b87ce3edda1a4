import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { JobHandler } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/outbox.ts'
import { endSessionsOfProvider } from '../sessions/public.ts'

const kind = 'sign-in-provider.end-sessions'

type Payload = { providerId: number; openedUntil: string }

/** Of a provider that becomes another one: whom the one before has vouched for has to come in again. */
export async function enqueueEndingSessions(tx: Transaction, providerId: number, at: Date): Promise<void> {
  const payload: Payload = { providerId, openedUntil: at.toISOString() }
  await enqueue(tx, { kind, payload })
}

export function endingSessions(db: Database): JobHandler {
  return {
    kind,
    run: async ({ payload }) => {
      const { providerId, openedUntil } = payload as Payload
      await db.identity((tx) => endSessionsOfProvider(tx, providerId, { openedUntil: new Date(openedUntil) }))
    },
  }
}
