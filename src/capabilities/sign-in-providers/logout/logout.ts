import { errors, type JWTPayload } from 'jose'
import type { Logger } from 'pino'
import sql from 'sql-template-tag'
import { systemActor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { type IssuerKeys, IssuerProblem } from '../../ci-trusts/public.ts'
import { endSessionsOfProvider } from '../../sessions/public.ts'
import { nameIn } from '../flow/claims.ts'
import { algorithms } from '../issuer/openid-client.ts'
import { findPublic } from '../store.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const skewSeconds = 60
// A token that was made longer ago is not taken, so that nothing needs to be remembered for longer.
const maxAgeSeconds = 600

type Parts = { db: Database; clock: Clock; keys: IssuerKeys; log: Logger }

export type BackChannelLogout = ReturnType<typeof createBackChannelLogout>

/** OpenID Connect Back-Channel Logout 1.0 §2.6: the provider ends sessions that began at it, and no others. */
export function createBackChannelLogout({ db, clock, keys, log }: Parts) {
  async function logout(providerId: number, token: string, requestId: string): Promise<{ ended: number }> {
    const provider = await findPublic({ query: db.identityQuery }, providerId)
    if (!provider) throw refuse(requestId, 'no such provider')
    const claims = await verify(token, provider, requestId)
    const { sub, sid, jti } = required(claims, requestId)
    const ended = await db.identity(async (tx) => {
      if (!(await takeOnce(tx, providerId, jti))) throw refuse(requestId, 'it came before')
      return endSessionsOfProvider(tx, providerId, { subject: sub, sid })
    })
    if (ended.length > 0) await record(provider.deploymentId, providerId, requestId, ended)
    return { ended: ended.length }
  }

  async function verify(
    token: string,
    { issuer, clientId }: { issuer: string; clientId: string },
    requestId: string,
  ): Promise<JWTPayload> {
    const options = {
      audience: clientId,
      algorithms,
      currentDate: clock.now(),
      clockTolerance: skewSeconds,
      maxTokenAge: maxAgeSeconds,
      requiredClaims: ['iat', 'jti', 'events'],
    }
    try {
      return await keys.verify(token, issuer, options)
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw refuse(requestId, error.message)
      if (!(error instanceof IssuerProblem)) throw error
      log.warn({ requestId, why: error.message }, 'the keys of a sign-in provider cannot be had')
      throw new Fault('unavailable', 'The keys of the provider cannot be fetched at the moment; try again.')
    }
  }

  function required(claims: JWTPayload, requestId: string) {
    const { sub, sid, jti, events } = claims
    const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent)
    if (!isLogout) throw refuse(requestId, 'it is not a logout token')
    // An ID token has one, and must not end sessions.
    if (claims.nonce !== undefined) throw refuse(requestId, 'it has a nonce')
    const named = { sub: nameIn(sub), sid: nameIn(sid), jti: nameIn(jti) }
    if (!named.jti || (!named.sub && !named.sid)) throw refuse(requestId, 'it names neither subject nor session')
    return { ...named, jti: named.jti }
  }

  /** False where the token was taken before. */
  async function takeOnce(tx: IdentityQueryable, providerId: number, jti: string): Promise<boolean> {
    const until = new Date(clock.now().getTime() + (maxAgeSeconds + 2 * skewSeconds) * 1000)
    const rows = await tx.query(sql`insert into logout_token (provider_id, token_id, expires_at)
      values (${providerId}, ${jti}, ${until}) on conflict do nothing returning 1`)
    return rows.length > 0
  }

  async function record(
    deploymentId: number,
    providerId: number,
    requestId: string,
    ended: { id: string; person_id: number }[],
  ): Promise<void> {
    await db.transaction(systemActor(deploymentId, requestId), async (tx) => {
      for (const { id, person_id } of ended) {
        const detail = { session: id, provider: providerId }
        tx.audit({ action: 'person.provider-logout', target: `person:${person_id}`, detail })
      }
    })
  }

  function refuse(requestId: string, why: string): Fault {
    log.info({ requestId, why }, 'a logout token was refused')
    return new Fault('malformed_request', 'The logout token is not valid.')
  }

  return { logout }
}
