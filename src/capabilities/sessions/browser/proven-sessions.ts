import { randomUUID } from 'node:crypto'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { noteSignIn } from '../../people/public.ts'
import type { AccountRecord } from '../history/account-record.ts'
import { type Origin, sessionDays } from '../service.ts'
import { rememberNetwork } from '../throttling/known-networks.ts'
import { networkOf } from '../throttling/network.ts'
import { hashOfCookie, idleEndOf, newBrowserSecret } from './browser-secret.ts'
import { toSession } from './browser-sessions.ts'
import { type BeganAt, insertBrowser, revokeByCookie } from './browser-store.ts'

type Proven = {
  personId: number
  provider: { id: number; name: string }
  subject: string
  sid: string | undefined
  /** When they last proved who they are, as the provider says. */
  confirmedAt: Date
  /** What the cookie of the session that this one takes the place of hashes to. */
  replacedHash: Buffer | undefined
}

/** Sessions of browsers for people whom somebody else has recognised. Always new ones, with a secret of their own. */
export function createProvenSessions({ db, record, clock }: { db: Database; record: AccountRecord; clock: Clock }) {
  async function open(proven: Proven, { address, requestId }: Origin) {
    const { personId, provider, replacedHash, confirmedAt } = proven
    const secret = newBrowserSecret()
    const at = clock.now()
    const seconds = sessionDays * 86_400
    const expiresAt = new Date(at.getTime() + seconds * 1000)
    const network = networkOf(address)
    const id = randomUUID()
    const beganAt: BeganAt = { providerId: provider.id, subject: proven.subject, sid: proven.sid }
    const cookieHash = hashOfCookie(secret)!
    const events = await db.identity(async (tx) => {
      if (replacedHash) await revokeByCookie(tx, replacedHash)
      await insertBrowser(tx, {
        id,
        personId,
        network,
        openedAt: at,
        expiresAt,
        proof: 'external',
        cookieHash,
        at,
        confirmedAt,
        beganAt,
      })
      await noteSignIn(tx, personId)
      await rememberNetwork(tx, personId, network, at)
      const detail = { network, session: id, provider: provider.id }
      return record.note(tx, personId, { requestId, action: 'person.sign-in', detail })
    })
    await record.tell(events)
    const session = toSession({ expiresAt, idleExpiresAt: idleEndOf(at), confirmedAt, provider })
    return { secret, seconds, session }
  }

  return { open }
}
