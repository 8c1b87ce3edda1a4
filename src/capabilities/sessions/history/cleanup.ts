import type { Database } from '../../../kernel/database/database.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { forgetExpired } from '../store.ts'
import { forgetOld } from '../throttling/attempt-store.ts'
import type { AccountRecord } from './account-record.ts'

/** What is left behind by sign-ins: events on their way into the audit log, attempts and sessions whose time is over. */
export function signInCleanup({
  db,
  record,
  clock,
}: {
  db: Database
  record: AccountRecord
  clock: Clock
}): Periodic[] {
  const clean = () =>
    db.identity(async (tx) => {
      await forgetOld(tx, clock.now())
      await forgetExpired(tx, clock.now())
    })
  return [
    { name: 'sign-in.settle', everySeconds: 30, run: record.settle },
    { name: 'sign-in.clean', everySeconds: 600, run: clean },
  ]
}
