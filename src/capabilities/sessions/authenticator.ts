import type { Authenticator, Identity } from '../../kernel/access/identity.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { findByHash, hashToken, hasValidChecksum, type KnownToken, looksLikeToken, noteUse } from '../tokens/public.ts'

import type { AccessTokens } from './access-token.ts'
import { findLive } from './public.ts'

// A revocation must be felt within a second on every process; half of it leaves time for the look itself.
const freshMs = 500
const maxRemembered = 10_000
const noteUseEveryMs = 5_000

/** Whose credentials these are. What the database said is believed for half a second; one look serves all who wait for it. */
export function createAuthenticator(db: Database, accessTokens: AccessTokens, clock: Clock) {
  const remembered = new Map<string, { identity: Promise<Identity>; until: number; expiresAt: number }>()
  const uses = new Map<number, { deploymentId: number; at: Date }>()
  const timer = setInterval(() => void flush(), noteUseEveryMs).unref()

  const authenticate: Authenticator = async (bearer) => {
    const now = performance.now()
    const known = remembered.get(bearer)
    if (known && known.until > now && known.expiresAt > clock.now().getTime()) return known.identity
    const entry = {
      identity: look(bearer, (expiresAt) => (entry.expiresAt = expiresAt)),
      until: now + freshMs,
      expiresAt: Infinity,
    }
    remembered.delete(bearer)
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!)
    remembered.set(bearer, entry)
    // A refusal is not remembered: it costs the same again, and an outage must not outlive itself.
    entry.identity.catch(() => remembered.delete(bearer))
    return entry.identity
  }

  /** For who has just changed what they may do: they need not wait until it is noticed. */
  function forget(bearer: string): void {
    remembered.delete(bearer)
  }

  function look(bearer: string, expires: (at: number) => void): Promise<Identity> {
    return looksLikeToken(bearer) ? lookUpToken(bearer, expires) : lookUpSession(bearer, expires)
  }

  async function lookUpToken(bearer: string, expires: (at: number) => void): Promise<Identity> {
    if (!hasValidChecksum(bearer))
      throw new Fault('unauthenticated', 'This is not a Gatehouse token; was it cut off?', { cause: 'checksum' })
    const token = await findByHash({ query: db.identityQuery }, hashToken(bearer))
    if (!token) throw new Fault('unauthenticated', 'The token is not known.', { cause: 'unknown' })
    if (token.revoked_at) throw new Fault('token_revoked', 'The token was revoked.')
    if (token.expires_at <= clock.now()) throw new Fault('token_expired', 'The token has expired.')
    expires(token.expires_at.getTime())
    uses.set(token.id, { deploymentId: token.deployment_id, at: clock.now() })
    return identityOfToken(token)
  }

  async function lookUpSession(bearer: string, expires: (at: number) => void): Promise<Identity> {
    const { personId, sessionId, expiresAt } = await accessTokens.verify(bearer)
    const session = await findLive({ query: db.identityQuery }, sessionId, personId)
    if (!session || session.revoked) throw new Fault('token_revoked', 'This session has ended; sign in again.')
    expires(expiresAt)
    const roles = new Map(session.roles.map(({ deployment, role }) => [deployment, role]))
    return {
      kind: 'jwt',
      personId,
      tokenId: 0,
      sessionId,
      operator: session.operator,
      roles,
      scopes: undefined,
      webApi: true,
    }
  }

  /** Last use is told in batches, so that a busy token costs one small write every few seconds. */
  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const batch = new Map(uses)
    uses.clear()
    await noteUse({ query: db.identityQuery }, batch).catch(() => {})
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    await flush()
  }

  return { authenticate, forget, close }
}

function identityOfToken(token: KnownToken): Identity {
  return {
    kind: 'token',
    personId: token.person_id,
    tokenId: token.id,
    sessionId: '',
    operator: token.operator,
    roles: new Map([[token.deployment_id, token.role]]),
    scopes: token.scopes ?? undefined,
    webApi: token.web_api,
  }
}
