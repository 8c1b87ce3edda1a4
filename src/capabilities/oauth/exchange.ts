import type { Actor } from '../../kernel/access/actor.ts'
import { permitted } from '../../kernel/access/permission.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { type AttemptLimits, networkOf, refreshHashesOf } from '../sessions/public.ts'
import { findByHash, hashToken, issueToken, looksLikeToken, renewSecret, revokeToken } from '../tokens/public.ts'
import { resourceOf } from './authorization.ts'
import { type Clients, hashOf } from './clients.ts'
import { firstRefreshToken, followingRefreshToken, partsOf, provesChallenge } from './codes.ts'
import type { TokenRequest } from './contract.ts'
import { OAuthFault } from './oauth-fault.ts'
import * as store from './store.ts'

export type Exchange = ReturnType<typeof createExchange>

const tokenSeconds = 15 * 60
// As for sessions: several windows of one program refresh at once. That close together, and from one address, it is not theft.
const reuseGraceMs = 10_000

type Parts = { db: Database; clock: Clock; limits: AttemptLimits; clients: Clients }
type Origin = { address: string; requestId: string; origin: string }
type Given = { access_token: string; token_type: 'Bearer'; expires_in: number; refresh_token: string; scope: string }

/** Codes and refresh tokens become tokens, each of them once. */
export function createExchange({ db, clock, limits, clients }: Parts) {
  async function exchange(asked: TokenRequest, from: Origin): Promise<Given> {
    if (!clients.find(asked.client_id)) throw new OAuthFault('invalid_client', 'No such program is registered here.')
    if (asked.resource !== undefined && asked.resource !== resourceOf(from.origin)) {
      throw new OAuthFault('invalid_target', `Tokens are given for ${resourceOf(from.origin)} alone.`)
    }
    const attempt = limits.guard([tokenLimit(from.address)])
    await attempt.begin()
    const given = await giveFor(asked, from)
    await attempt.succeed()
    return given
  }

  function giveFor(asked: TokenRequest, from: Origin): Promise<Given> {
    if (asked.grant_type === 'authorization_code') return forCode(asked, from)
    if (asked.grant_type === 'refresh_token') return forRefreshToken(asked, from)
    throw new OAuthFault('unsupported_grant_type', 'Send an authorization_code or a refresh_token.')
  }

  async function forCode(asked: TokenRequest, from: Origin): Promise<Given> {
    const parts = partsOf(asked.code ?? '')
    const found = parts && (await store.findByCode(db.as(parts), hashOf(asked.code!)))
    if (!found) throw noSuchCode()
    return asPerson(parts.deploymentId, found, from, async (tx, grant) => {
      if (grant.token_id !== null) return endReused(tx, grant, 'code')
      // The same words for all of them: who has stolen a code learns nothing of what it lacks.
      if (!grant.client_hash.equals(hashOf(asked.client_id))) return noSuchCode()
      if (grant.redirect_uri !== asked.redirect_uri) return noSuchCode()
      if (!provesChallenge(asked.code_verifier ?? '', grant.code_challenge)) return noSuchCode()
      if (grant.code_expires_at <= clock.now()) return noSuchCode()
      return beginGrant(tx, grant)
    })
  }

  async function beginGrant(tx: Transaction, grant: store.GrantRow): Promise<Given> {
    const refreshToken = firstRefreshToken(tx.deploymentId)
    const { secret, token } = await issueToken(tx, {
      personId: grant.person_id,
      parentId: 0,
      wanted: { name: grant.client_name, webApi: true },
      scopes: grant.scopes,
      expiresAt: tokenEnd(grant),
      audience: 'mcp',
    })
    await store.begin(tx, grant.id, { tokenId: token.id, ...refreshHashesOf(partsOf(refreshToken)!.secret)! })
    tx.audit({ action: 'connected-program.begin', target: targetOf(grant), detail: { token: token.id } })
    return answer(secret, refreshToken, grant)
  }

  async function forRefreshToken(asked: TokenRequest, from: Origin): Promise<Given> {
    const parts = partsOf(asked.refresh_token ?? '')
    const hashes = parts && refreshHashesOf(parts.secret)
    const found = hashes && (await store.findByFamily(db.as(parts), hashes.family))
    if (!found) throw noSuchRefreshToken()
    const network = networkOf(from.address)
    return asPerson(parts.deploymentId, found, from, async (tx, grant) => {
      if (!grant.client_hash.equals(hashOf(asked.client_id))) return noSuchRefreshToken()
      if (grant.expires_at <= clock.now()) return noSuchRefreshToken()
      const place = await store.placeOf(tx, grant.id, hashes.refresh)
      if (place !== 'current')
        return isTwin(grant, place, network) ? noSuchRefreshToken() : endReused(tx, grant, 'refresh')
      const secret = await renewSecret(tx, grant.token_id!, tokenEnd(grant))
      if (!secret) return noSuchRefreshToken()
      const next = followingRefreshToken(parts.deploymentId, parts.secret)
      const { refresh } = refreshHashesOf(partsOf(next)!.secret)!
      await store.rotate(tx, grant.id, { refresh, at: clock.now(), network })
      return answer(secret, next, grant)
    })
  }

  function isTwin({ refreshed_at: at, refreshed_from: by }: store.GrantRow, place: string, network: string): boolean {
    return place === 'previous' && clock.now().getTime() - at!.getTime() < reuseGraceMs && by === network
  }

  /** Somebody else has had it, before or after: nobody can say which of them is the program, so it ends for both. */
  async function endReused(tx: Transaction, grant: store.GrantRow, what: 'code' | 'refresh'): Promise<OAuthFault> {
    await revokeToken(tx, grant.token_id!, undefined)
    tx.audit({
      action: 'connected-program.reuse',
      target: targetOf(grant),
      detail: { what, client: grant.client_name },
    })
    return what === 'code' ? noSuchCode() : noSuchRefreshToken()
  }

  /** As the person who connected it, with the role that they have now. What is refused is written down all the same. */
  async function asPerson(
    deploymentId: number,
    { id, person_id: personId, scopes }: store.GrantRow,
    { requestId }: Origin,
    work: (tx: Transaction, grant: store.GrantRow) => Promise<Given | OAuthFault> | Given | OAuthFault,
  ): Promise<Given> {
    const role = await store.roleOf(db.as({ deploymentId }), personId)
    if (!role) throw noSuchRefreshToken()
    const actor: Actor = { deploymentId, personId, tokenId: 0, role, permissions: permitted(role, scopes), requestId }
    const outcome = await db.transaction(actor, async (tx) => {
      const grant = await store.lock(tx, id)
      return grant ? work(tx, grant) : noSuchCode()
    })
    if (outcome instanceof OAuthFault) throw outcome
    return outcome
  }

  /** RFC 7009, by either of its tokens. Who shows one may end it. */
  async function end(text: string, { address, requestId }: Pick<Origin, 'address' | 'requestId'>): Promise<void> {
    const attempt = limits.guard([tokenLimit(address)])
    await attempt.begin()
    const found = looksLikeToken(text) ? await byToken(text) : await byRefreshToken(text)
    if (!found) return
    const { deploymentId, personId, tokenId } = found
    const role = await store.roleOf(db.as({ deploymentId }), personId)
    if (!role) return
    const actor: Actor = { deploymentId, personId, tokenId, role, permissions: permitted(role, []), requestId }
    await db.transaction(actor, (tx) => revokeToken(tx, tokenId, personId))
    await attempt.succeed()
  }

  async function byToken(text: string) {
    const token = await findByHash({ query: db.identityQuery }, hashToken(text))
    // API tokens have an endpoint of their own for it.
    if (token?.audience !== 'mcp') return undefined
    return { deploymentId: token.deployment_id, personId: token.person_id, tokenId: token.id }
  }

  async function byRefreshToken(text: string) {
    const parts = partsOf(text)
    const hashes = parts && refreshHashesOf(parts.secret)
    const grant = hashes && (await store.findByFamily(db.as(parts), hashes.family))
    return grant && { deploymentId: parts.deploymentId, personId: grant.person_id, tokenId: grant.token_id! }
  }

  function tokenEnd({ expires_at: end }: store.GrantRow): Date {
    return new Date(Math.min(clock.now().getTime() + tokenSeconds * 1000, end.getTime()))
  }

  function answer(secret: string, refreshToken: string, grant: store.GrantRow): Given {
    const seconds = Math.floor((tokenEnd(grant).getTime() - clock.now().getTime()) / 1000)
    const scope = grant.scopes.join(' ')
    return { access_token: secret, token_type: 'Bearer', expires_in: seconds, refresh_token: refreshToken, scope }
  }

  return { exchange, end }
}

/** Wrong ones count; right ones do not. */
function tokenLimit(address: string) {
  return {
    key: `oauth token ${networkOf(address)}`,
    most: 60,
    seconds: 60,
    message: 'Too many wrong codes from this network.',
  }
}

function targetOf({ id }: store.GrantRow): string {
  return `connected-program:${id}`
}

function noSuchCode(): OAuthFault {
  return new OAuthFault(
    'invalid_grant',
    'The code is not valid: it works once, within a minute, for the program that asked.',
  )
}

function noSuchRefreshToken(): OAuthFault {
  return new OAuthFault(
    'invalid_grant',
    'The refresh token is not valid, or what it stood for has ended. Connect again.',
  )
}
