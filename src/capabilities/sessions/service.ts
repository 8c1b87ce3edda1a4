import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../kernel/database.ts'
import { Fault } from '../../kernel/fault.ts'
import { findAccount, nobodysHash, noteSignIn, verifyPassword } from '../people/reads.ts'
import { type AccessTokens, accessTokenSeconds } from './access-token.ts'
import { createAttemptLimit } from './attempt-limit.ts'
import type { Session } from './contract.ts'
import * as store from './store.ts'

const sessionDays = 30
// Two tabs that refresh at once use the same token; that close together it is no sign of theft.
const reuseGraceMs = 10_000

export type SessionService = ReturnType<typeof createSessionService>

export function createSessionService(db: Database, accessTokens: AccessTokens, clock: Clock) {
  const failures = createAttemptLimit({ limit: 10, windowSeconds: 60, clock })

  async function login(email: string, password: string, address: string): Promise<Session> {
    failures.check(address)
    const account = await db.identity((tx) => findAccount(tx, email))
    const right = await verifyPassword(password, account?.password_hash ?? nobodysHash)
    if (!account || !right) {
      failures.note(address)
      throw new Fault('unauthenticated', 'The e-mail address or the password is not right.', { cause: 'password' })
    }
    const id = randomUUID()
    const refreshToken = newRefreshToken()
    const expiresAt = new Date(clock.now().getTime() + sessionDays * 86_400_000)
    await db.identity(async (tx) => {
      await store.insert(tx, { id, personId: account.id, refreshHash: hashOf(refreshToken), expiresAt })
      await noteSignIn(tx, account.id)
    })
    return answer(account.id, id, refreshToken)
  }

  async function refresh(refreshToken: string): Promise<Session> {
    const next = newRefreshToken()
    const outcome = await db.identity(async (tx) => {
      const session = await store.lockByRefreshToken(tx, hashOf(refreshToken))
      if (!session) return 'unknown'
      if (session.revoked_at) return 'revoked'
      if (session.expires_at <= clock.now()) return 'expired'
      if (!session.current) {
        if (clock.now().getTime() - session.refreshed_at.getTime() < reuseGraceMs) return 'used'
        await store.revoke(tx, session.id)
        return 'revoked'
      }
      await store.rotate(tx, session.id, hashOf(refreshToken), hashOf(next), clock.now())
      return session
    })
    if (typeof outcome !== 'string') return answer(outcome.person_id, outcome.id, next)
    if (outcome === 'revoked') throw new Fault('token_revoked', 'This session has ended; sign in again.')
    if (outcome === 'expired') throw new Fault('token_expired', 'This session has expired; sign in again.')
    throw new Fault('unauthenticated', `The refresh token is ${outcome === 'used' ? 'used already' : 'not known'}.`, {
      cause: outcome,
    })
  }

  async function logout(sessionId: string): Promise<void> {
    await db.identity((tx) => store.revoke(tx, sessionId))
  }

  async function answer(personId: number, sessionId: string, refreshToken: string): Promise<Session> {
    const accessToken = await accessTokens.issue(personId, sessionId)
    return { accessToken, refreshToken, expiresIn: accessTokenSeconds }
  }

  return { login, refresh, logout }
}

function newRefreshToken(): string {
  return `gthr_${randomBytes(32).toString('base64url')}`
}

/** 256 random bits need no slow hash. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
