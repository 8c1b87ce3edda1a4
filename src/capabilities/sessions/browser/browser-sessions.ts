import { confirmedForMs, type Identity } from '../../../kernel/access/identity.ts'
import { permitted } from '../../../kernel/access/permission.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { listWithIds } from '../../deployments/public.ts'
import type { PasskeyProof, SecondStep, Step } from '../../factors/public.ts'
import { findAccountById, verifyPassword } from '../../people/public.ts'
import type { AccountRecord } from '../history/account-record.ts'
import type { Given, Origin, SessionService } from '../service.ts'
import type { NewSession } from '../store.ts'
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
  secondStep: SecondStep
  passkeys: PasskeyProof
  clock: Clock
  about: AboutServer
}) {
  const { db, sessions, limits, record, secondStep, passkeys, clock, about } = ingredients

  /** Always a new session; the one that the browser had ends with it, whoever's it was. */
  function open(given: Given, origin: Origin, replaced: string | undefined) {
    return openWith(replaced, (insert) => sessions.signIn(given, origin, insert))
  }

  /** It has looked at two factors by itself: the device, and a finger, a face or a PIN. */
  async function openByPasskey(credential: Record<string, unknown>, origin: Origin, replaced: string | undefined) {
    const { personId, spend } = await passkeys.show(credential, origin.address)
    return openWith(replaced, (insert) => sessions.begin(personId, { by: 'passkey', spend }, origin, insert))
  }

  async function openWith(
    replaced: string | undefined,
    begin: (insert: (tx: IdentityQueryable, session: NewSession) => Promise<void>) => Promise<NewSession>,
  ) {
    const secret = newBrowserSecret()
    const at = clock.now()
    const replacedHash = replaced === undefined ? undefined : hashOfCookie(replaced)
    const { expiresAt } = await begin(async (tx, session) => {
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

  /** By the same proof as signing in: the password with a second factor if there is one, or a passkey of theirs. */
  async function reauthenticate(caller: Identity, given: Again, origin: Origin) {
    const { personId, sessionId, browser } = caller
    if (!browser)
      throw new Fault('wrong_credential_kind', 'Only the session of a browser is asked for the password again.')
    const step = await proveAgain(caller, given, origin).catch(refuseAgain)
    const at = clock.now()
    const events = await db.identity(async (tx) => {
      if (!(await confirm(tx, sessionId, at)))
        throw new Fault('token_revoked', 'This session has ended; sign in again.')
      await step.spend(tx).catch(refuseAgain)
      const detail = { network: networkOf(origin.address), ...(step.by !== 'password' && { by: step.by }) }
      return record.note(tx, personId, { requestId: origin.requestId, action: 'person.reauthenticate', detail })
    })
    await record.tell(events)
    await step.afterwards?.()
    return toSession({ ...browser, confirmedAt: at })
  }

  /** The password can be guessed here too, so it is counted as where it is changed. */
  async function proveAgain({ personId, sessionId }: Identity, given: Again, { address }: Origin): Promise<Step> {
    const { password, code, passkey } = given
    if (passkey) {
      const { spend } = await passkeys.show(passkey, address, personId)
      return { by: 'passkey', spend }
    }
    if (password === undefined) throw new Fault('validation_failed', 'Send the password, or a passkey.')
    const network = networkOf(address)
    const wanted = passwordChangeLimits(sessionId, network)
    limits.check(wanted)
    const account = await db.identity((tx) => findAccountById(tx, personId))
    const lane = { key: network, known: true }
    if (!account || !(await verifyPassword(password, account.password_hash, lane, limits.guard(wanted)))) {
      await record.noteFailure(personId, network)
      throw new Fault('forbidden', 'The password is not right.')
    }
    return secondStep.check(personId, code, network)
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
      mustSetUpFactor: caller.mustSetUpFactor ?? false,
      session: caller.browser ? toSession(caller.browser) : null,
      deployments: deployments.map(({ id, name, slug }) => {
        const role = caller.roles.get(id)!
        return { id, name, slug, role, permissions: [...permitted(role, caller.scopes)] }
      }),
      ...about,
    }
  }

  return { open, openByPasskey, reauthenticate, describe }
}

/** What somebody proves themselves with once more. */
type Again = { password?: string; code?: string; passkey?: Record<string, unknown> }

/** They are signed in: what was wrong is what they showed now, not their session. */
function refuseAgain(error: unknown): never {
  throw error instanceof Fault && error.code === 'unauthenticated' ? new Fault('forbidden', error.message) : error
}

export function toSession(session: NonNullable<Identity['browser']>): BrowserSession {
  return {
    expiresAt: session.expiresAt.toISOString(),
    idleExpiresAt: session.idleExpiresAt.toISOString(),
    confirmedUntil: new Date(session.confirmedAt.getTime() + confirmedForMs).toISOString(),
    provider: session.provider,
  }
}
