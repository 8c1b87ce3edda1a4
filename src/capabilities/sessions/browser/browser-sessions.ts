import { confirmedForMs, type Identity } from '../../../kernel/access/identity.ts'
import { permitted } from '../../../kernel/access/permission.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { listWithIds } from '../../deployments/public.ts'
import { findAccountById, verifyPassword } from '../../people/public.ts'
import type { AccountRecord } from '../history/account-record.ts'
import type { Origin, SessionService } from '../service.ts'
import { type AttemptLimits, passwordChangeLimits } from '../throttling/attempt-limits.ts'
import { networkOf } from '../throttling/network.ts'
import type { BrowserSession, Me } from './browser-contract.ts'
import { hashOfCookie, idleEndOf, newBrowserSecret } from './browser-secret.ts'
import { confirm, insertBrowser, revokeByCookie } from './browser-store.ts'

export type BrowserSessions = ReturnType<typeof createBrowserSessions>

/** What everybody who has signed in may know about the server. */
export type AboutServer = Pick<Me, 'server' | 'configured'>

/** Sessions that a browser holds by a cookie, so that no script can read what opens them. */
export function createBrowserSessions(ingredients: {
  db: Database
  sessions: SessionService
  limits: AttemptLimits
  record: AccountRecord
  clock: Clock
  about: AboutServer
}) {
  const { db, sessions, limits, record, clock, about } = ingredients

  /** Always a new session; the one that the browser had ends with it, whoever's it was. */
  async function open(email: string, password: string, origin: Origin, replaced: string | undefined) {
    const secret = newBrowserSecret()
    const at = clock.now()
    const replacedHash = replaced === undefined ? undefined : hashOfCookie(replaced)
    const { expiresAt } = await sessions.signIn(email, password, origin, async (tx, session) => {
      if (replacedHash) await revokeByCookie(tx, replacedHash)
      await insertBrowser(tx, { ...session, cookieHash: hashOfCookie(secret)!, at })
    })
    const seconds = Math.floor((expiresAt.getTime() - at.getTime()) / 1000)
    return {
      secret,
      seconds,
      session: toSession({ expiresAt, idleExpiresAt: idleEndOf(at), confirmedAt: at, provider: null }),
    }
  }

  /** The password can be guessed here too, so it is counted as where it is changed. */
  async function reauthenticate(caller: Identity, password: string, { address, requestId }: Origin) {
    const { personId, sessionId, browser } = caller
    if (!browser)
      throw new Fault('wrong_credential_kind', 'Only the session of a browser is asked for the password again.')
    const network = networkOf(address)
    const wanted = passwordChangeLimits(sessionId, network)
    limits.check(wanted)
    const account = await db.identity((tx) => findAccountById(tx, personId))
    const lane = { key: network, known: true }
    if (!account || !(await verifyPassword(password, account.password_hash, lane, limits.guard(wanted)))) {
      await record.noteFailure(personId, network)
      throw new Fault('forbidden', 'The password is not right.')
    }
    const at = clock.now()
    const events = await db.identity(async (tx) => {
      if (!(await confirm(tx, sessionId, at)))
        throw new Fault('token_revoked', 'This session has ended; sign in again.')
      return record.note(tx, personId, { requestId, action: 'person.reauthenticate', detail: { network } })
    })
    await record.tell(events)
    return toSession({ ...browser, confirmedAt: at })
  }

  async function describe(caller: Identity): Promise<Me> {
    const query = db.identityQuery
    const [account, deployments] = await Promise.all([
      db.identity((tx) => findAccountById(tx, caller.personId)),
      listWithIds({ query }, [...caller.roles.keys()]),
    ])
    if (!account) throw new Fault('token_revoked', 'This account is gone.')
    return {
      kind: caller.browser ? 'session' : caller.kind,
      person: { id: caller.personId, name: account.name, email: account.email },
      operator: caller.operator,
      session: caller.browser ? toSession(caller.browser) : null,
      deployments: deployments.map(({ id, name, slug }) => {
        const role = caller.roles.get(id)!
        return { id, name, slug, role, permissions: [...permitted(role, caller.scopes)] }
      }),
      ...about,
    }
  }

  return { open, reauthenticate, describe }
}

export function toSession(session: NonNullable<Identity['browser']>): BrowserSession {
  return {
    expiresAt: session.expiresAt.toISOString(),
    idleExpiresAt: session.idleExpiresAt.toISOString(),
    confirmedUntil: new Date(session.confirmedAt.getTime() + confirmedForMs).toISOString(),
    provider: session.provider,
  }
}
