import type { Identity } from '../../../kernel/access/identity.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import {
  type AccountRecord,
  type AttemptLimits,
  endOtherSessions,
  networkOf,
  passwordChangeLimits,
} from '../../sessions/public.ts'
import * as store from '../store.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { refuseWeakPassword } from './weak-password.ts'

export type OwnPassword = ReturnType<typeof createOwnPassword>

/** How people who are signed in change their password. The present one can be guessed here too, so it is counted alike. */
export function createOwnPassword(db: Database, limits: AttemptLimits, record: AccountRecord) {
  async function change(
    caller: Identity,
    { current, next }: { current: string; next: string },
    { address, requestId }: { address: string; requestId: string },
  ): Promise<void> {
    const { personId, sessionId } = caller
    const network = networkOf(address)
    const lane = { key: network, known: true }
    const account = await db.identity((tx) => store.findAccountById(tx, personId))
    if (!account) throw wrong()
    refuseWeakPassword(next, account, '/next')
    const wanted = passwordChangeLimits(sessionId, network)
    limits.check(wanted)
    if (!(await verifyPassword(current, account.password_hash, lane, limits.guard(wanted)))) {
      await record.noteFailure(personId, network)
      throw wrong()
    }
    const passwordHash = await hashPassword(next, lane)
    const events = await db.identity(async (tx) => {
      // Somebody may have set another one while this was worked out: a link that was used must not be undone by somebody who knew the old one.
      if (!(await store.changePassword(tx, personId, { from: account.password_hash, to: passwordHash }))) throw wrong()
      await endOtherSessions(tx, personId, sessionId)
      return record.note(tx, personId, { requestId, action: 'person.password', detail: { network } })
    })
    await record.tell(events)
  }

  return { change }
}

function wrong(): Fault {
  return new Fault('forbidden', 'The current password is not right.')
}
