import type { Authenticator, BrowserAuthenticator, Identity } from '../../kernel/access/identity.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Requirement } from '../factors/public.ts'
import { findByHash, hashToken, hasValidChecksum, type KnownToken, looksLikeToken, noteUse } from '../tokens/public.ts'
import { hashOfCookie, idleEndOf } from './browser/browser-secret.ts'
import { findByCookie, noteUsed } from './browser/browser-store.ts'
import { findLive, type LiveSession } from './public.ts'
import type { AccessTokens } from './tokens/access-token.ts'

// A revocation must be felt within a second on every process; half of it leaves time for the look itself.
const freshMs = 500
const maxRemembered = 10_000
const noteUseEveryMs = 5_000

/** Whose credentials these are. What the database said is believed for half a second; one look serves all who wait for it. */
export function createAuthenticator(
  db: Database,
  accessTokens: AccessTokens,
  clock: Clock,
  /** Who needs a second factor in the whole instance. */
  requirement: Requirement,
) {
  const remembered = new Map<string, { identity: Promise<Identity>; until: number; expiresAt: number }>()
  const uses = new Map<number, { deploymentId: number; at: Date }>()
  const sessionUses = new Map<string, Date>()
  const timer = setInterval(() => void flush(), noteUseEveryMs).unref()

  const authenticate: Authenticator = async (bearer, settingUp = false, audience) => {
    const identity = await recall(bearer, (expires) =>
      looksLikeToken(bearer) ? lookUpToken(bearer, expires) : lookUpSession(bearer, expires),
    )
    if (identity.audience && identity.audience !== audience) throw forOtherResource()
    return settingUp ? identity : refuseWithoutFactor(identity)
  }

  /** Its own room in the memory: the secret of a cookie is no bearer token, and no bearer token is one. */
  const authenticateBrowser: BrowserAuthenticator = async (secret, settingUp = false) => {
    const identity = await recall(browserKey(secret), (expires) => lookUpBrowser(secret, expires))
    return settingUp ? identity : refuseWithoutFactor(identity)
  }

  function recall(key: string, look: (expires: (at: number) => void) => Promise<Identity>): Promise<Identity> {
    const now = performance.now()
    const known = remembered.get(key)
    if (known && known.until > now && known.expiresAt > clock.now().getTime()) return known.identity
    const entry = {
      identity: look((expiresAt) => (entry.expiresAt = expiresAt)),
      until: now + freshMs,
      expiresAt: Infinity,
    }
    remembered.delete(key)
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!)
    remembered.set(key, entry)
    // A refusal is not remembered: it costs the same again, and an outage must not outlive itself.
    entry.identity.catch(() => remembered.delete(key))
    return entry.identity
  }

  /** For whoever has just changed what they may do: they need not wait until it is noticed. */
  function forget(bearer: string): void {
    remembered.delete(bearer)
  }

  function forgetBrowser(secret: string): void {
    remembered.delete(browserKey(secret))
  }

  async function lookUpToken(bearer: string, expires: (at: number) => void): Promise<Identity> {
    if (!hasValidChecksum(bearer))
      throw new Fault('unauthenticated', 'This is not a Gatehouse token; was it cut off?', { cause: 'checksum' })
    const token = await findByHash({ query: db.identityQuery }, hashToken(bearer))
    if (!token) throw new Fault('unauthenticated', 'The token is not known.', { cause: 'unknown' })
    if (token.revoked_at) throw new Fault('token_revoked', 'The token was revoked.')
    if (token.suspended) throw new Fault('token_revoked', 'The owner of the token is suspended in this deployment.')
    if (token.expires_at <= clock.now()) throw new Fault('token_expired', 'The token has expired.')
    expires(token.expires_at.getTime())
    uses.set(token.id, { deploymentId: token.deployment_id, at: clock.now() })
    return identityOfToken(token)
  }

  async function lookUpSession(bearer: string, expires: (at: number) => void): Promise<Identity> {
    const { personId, sessionId, expiresAt } = await accessTokens.verify(bearer)
    const session = await findLive({ query: db.identityQuery }, sessionId, personId, requirement)
    if (!session || session.revoked) throw new Fault('token_revoked', 'This session has ended; sign in again.')
    expires(expiresAt)
    return identityOfPerson(personId, sessionId, session)
  }

  async function lookUpBrowser(secret: string, expires: (at: number) => void): Promise<Identity> {
    const hash = hashOfCookie(secret)
    const session = hash && (await findByCookie({ query: db.identityQuery }, hash, requirement))
    if (!session) throw new Fault('unauthenticated', 'This session is not known; sign in again.', { cause: 'unknown' })
    if (session.revoked) throw new Fault('token_revoked', 'This session has ended; sign in again.')
    const { expires_at: expiresAt, confirmed_at: confirmedAt } = session
    // What this process has not told the database yet counts, too.
    const idleExpiresAt = idleEndOf(
      new Date(Math.max(session.used_at.getTime(), sessionUses.get(session.id)?.getTime() ?? 0)),
    )
    const end = Math.min(expiresAt.getTime(), idleExpiresAt.getTime())
    const now = clock.now()
    if (end <= now.getTime()) throw new Fault('token_expired', 'This session has expired; sign in again.')
    expires(end)
    sessionUses.set(session.id, now)
    const browser = { expiresAt, idleExpiresAt: idleEndOf(now), confirmedAt, provider: session.provider }
    return { ...identityOfPerson(session.person_id, session.id, session), browser }
  }

  /** Last use is told in batches, so that a busy token costs one small write every few seconds. */
  async function flush(): Promise<void> {
    const query = db.identityQuery
    const [tokens, sessions] = [new Map(uses), new Map(sessionUses)]
    uses.clear()
    if (tokens.size > 0) await noteUse({ query }, tokens).catch(() => {})
    if (sessions.size > 0) await noteUsed({ query }, sessions).catch(() => {})
    for (const [id, at] of sessions) if (sessionUses.get(id) === at) sessionUses.delete(id)
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    await flush()
  }

  return { authenticate, authenticateBrowser, forget, forgetBrowser, close }
}

function browserKey(secret: string): string {
  return `cookie ${secret}`
}

/** Whoever signed in with less than is required of them may set that up, and nothing else. */
function refuseWithoutFactor(identity: Identity): Identity {
  if (!identity.mustSetUpFactor) return identity
  throw new Fault(
    'second_factor_setup_required',
    'A second factor is required of you: set one up on your profile, or with /api/auth/factors.',
  )
}

/** RFC 8707: what was given to a program for one resource does not work elsewhere. */
function forOtherResource(): Fault {
  return new Fault('unauthenticated', 'This token is for the Model Context Protocol at /mcp alone.', {
    cause: 'audience',
  })
}

function identityOfPerson(personId: number, sessionId: string, session: LiveSession): Identity {
  const { operator, roles, must_set_up: mustSetUpFactor } = session
  return {
    kind: 'jwt',
    personId,
    tokenId: 0,
    sessionId,
    operator,
    roles: new Map(roles.map(({ deployment, role }) => [deployment, role])),
    scopes: undefined,
    webApi: true,
    mustSetUpFactor,
  }
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
    ...(token.bound && { bound: token.bound }),
    ...(token.audience && { audience: token.audience }),
  }
}
