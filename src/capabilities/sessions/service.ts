import { randomUUID } from 'node:crypto'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Proof, SecondStep } from '../factors/public.ts'
import { findAccount, isAwaited, isShutOut, nobodysHash, noteSignIn, verifyPassword } from '../people/public.ts'
import { isClosedToPassword } from '../sign-in-providers/public.ts'
import type { Session } from './contract.ts'
import type { AccountRecord } from './history/account-record.ts'
import * as store from './store.ts'
import { type AttemptLimits, signInLimits } from './throttling/attempt-limits.ts'
import { isKnownNetwork, rememberNetwork } from './throttling/known-networks.ts'
import { networkOf } from './throttling/network.ts'
import { type AccessTokens, accessTokenSeconds } from './tokens/access-token.ts'
import { hashesOf, newRefreshToken, nextRefreshToken } from './tokens/refresh-token.ts'

export const sessionDays = 30
// Two tabs of a browser that refresh at once use the same token; that close together, and from one address, it is not theft.
const reuseGraceMs = 10_000

/** What somebody typed to sign in. */
export type Given = { email: string; password: string; code?: string | undefined }

type InsertSession = (tx: IdentityQueryable, session: store.NewSession) => Promise<void>

/** Where a request comes from, and which it is. */
export type Origin = { address: string; requestId: string }

export type SessionService = ReturnType<typeof createSessionService>

export function createSessionService(ingredients: {
  db: Database
  accessTokens: AccessTokens
  limits: AttemptLimits
  record: AccountRecord
  secondStep: SecondStep
  clock: Clock
}) {
  const { db, accessTokens, limits, record, secondStep, clock } = ingredients

  async function login(given: Given, origin: Origin): Promise<Session> {
    const refreshToken = newRefreshToken()
    const { family: familyHash, refresh: refreshHash } = hashesOf(refreshToken)!
    const { personId, id } = await signIn(given, origin, (tx, session) =>
      store.insert(tx, { ...session, familyHash, refreshHash }),
    )
    return answer(personId, id, refreshToken)
  }

  /** Proves who it is, within the limits, and begins a session of one kind or another in the same transaction. */
  async function signIn(
    { email, password, code }: Given,
    origin: Origin,
    insert: InsertSession,
  ): Promise<store.NewSession> {
    const network = networkOf(origin.address)
    const { account, known, shut } = await db.identity(async (tx) => {
      const found = await findAccount(tx, email)
      const id = found?.id ?? 0
      const now = clock.now()
      return { account: found, known: await isKnownNetwork(tx, id, network, now), shut: await isShutOut(tx, id, now) }
    })
    const wanted = signInLimits(account, email, network, known)
    limits.check(wanted)
    // No password is right for whoever is shut out: what they are told, how long it takes and what is counted are the same.
    const hash = account && !shut ? account.password_hash : nobodysHash
    const lane = { key: network, known }
    const right = await verifyPassword(password, hash, lane, limits.guard(wanted))
    if (!account || !right) {
      await record.noteFailure(account?.id, network)
      throw wrongPassword()
    }
    const step = await secondStep.check(account.id, code, network)
    const spend = async (tx: IdentityQueryable) => {
      // Whoever changed it meanwhile has ended all sessions but their own; this one must not come after.
      if (!(await store.lockPassword(tx, account.id, account.password_hash))) throw wrongPassword()
      await step.spend(tx)
    }
    const session = await begin(account.id, { by: step.by, spend }, origin, insert)
    await step.afterwards?.()
    return session
  }

  /** A session for whoever has proved who they are; what they proved it with is used up in the same transaction. */
  async function begin(
    personId: number,
    { by: proof, spend }: { by: Proof; spend(tx: IdentityQueryable): Promise<void> },
    { address, requestId }: Origin,
    insert: InsertSession,
  ): Promise<store.NewSession> {
    const network = networkOf(address)
    const openedAt = clock.now()
    const expiresAt = new Date(openedAt.getTime() + sessionDays * 86_400_000)
    const session = { id: randomUUID(), personId, network, openedAt, expiresAt, proof }
    const events = await db.identity(async (tx) => {
      await spend(tx)
      // A deployment that takes single sign-on only does not keep anybody from joining another.
      if ((await isClosedToPassword(tx, personId)) && !(await isAwaited(tx, personId, openedAt)))
        throw onlySingleSignOn()
      await insert(tx, session)
      await noteSignIn(tx, personId)
      await rememberNetwork(tx, personId, network, openedAt)
      const detail = { network, session: session.id, ...(proof !== 'password' && { by: proof }) }
      return record.note(tx, personId, { requestId, action: 'person.sign-in', detail })
    })
    await record.tell(events)
    return session
  }

  async function refresh(refreshToken: string, { address, requestId }: Origin): Promise<Session> {
    const hashes = hashesOf(refreshToken)
    if (!hashes) throw unknown()
    const network = networkOf(address)
    const next = nextRefreshToken(refreshToken)
    const { outcome, session, events } = await db.identity(async (tx) => {
      const session = await store.lockByRefreshToken(tx, hashes.family, hashes.refresh)
      const outcome = judge(session, network)
      if (outcome === 'right') {
        await store.rotate(tx, session!.id, { refreshHash: hashesOf(next)!.refresh, network, at: clock.now() })
      }
      if (outcome !== 'reused') return { outcome, session, events: [] }
      const { id, person_id } = session!
      await store.revoke(tx, id)
      const detail = { network, session: id }
      return {
        outcome,
        session,
        events: await record.note(tx, person_id, { requestId, action: 'session.reuse', detail }),
      }
    })
    await record.tell(events)
    if (outcome === 'right') return answer(session!.person_id, session!.id, next)
    if (outcome === 'unknown') throw unknown()
    if (outcome === 'expired') throw new Fault('token_expired', 'This session has expired; sign in again.')
    if (outcome === 'used') throw new Fault('unauthenticated', 'The refresh token was already used.', { cause: 'used' })
    throw new Fault('token_revoked', 'This session has ended; sign in again.')
  }

  function judge(session: store.SessionRow | undefined, network: string) {
    if (!session) return 'unknown'
    if (session.revoked_at) return 'revoked'
    if (session.expires_at <= clock.now()) return 'expired'
    if (session.place === 'current') return 'right'
    const justNow = clock.now().getTime() - session.refreshed_at.getTime() < reuseGraceMs
    return session.place === 'previous' && justNow && session.refreshed_from === network ? 'used' : 'reused'
  }

  async function logout(sessionId: string): Promise<void> {
    await db.identity((tx) => store.revoke(tx, sessionId))
  }

  async function answer(personId: number, sessionId: string, refreshToken: string): Promise<Session> {
    const accessToken = await accessTokens.issue(personId, sessionId)
    return { accessToken, refreshToken, expiresIn: accessTokenSeconds }
  }

  return { login, refresh, logout, signIn, begin }
}

function wrongPassword(): Fault {
  return new Fault('unauthenticated', 'The e-mail address or the password is not right.', { cause: 'password' })
}

/** Said only to whoever has the password. */
function onlySingleSignOn(): Fault {
  return new Fault(
    'forbidden',
    'This account signs in through the sign-in provider of its deployment, not with a password.',
  )
}

function unknown(): Fault {
  return new Fault('unauthenticated', 'The refresh token is not known.', { cause: 'unknown' })
}
