import type { Database } from '../../kernel/database/database.ts'
import type { Periodic } from '../../kernel/jobs/job.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { removeExpired as removeChallenges } from './passkeys/passkey-store.ts'
import { removeExpired as removeSetups } from './totp/totp-store.ts'

/** What was begun and never ended. */
export function factorCleanup({ db, clock }: { db: Database; clock: Clock }): Periodic {
  return {
    name: 'factors.clean',
    everySeconds: 600,
    async run() {
      const identities = { query: db.identityQuery }
      await removeChallenges(identities, clock.now())
      await removeSetups(identities, clock.now())
    },
  }
}
