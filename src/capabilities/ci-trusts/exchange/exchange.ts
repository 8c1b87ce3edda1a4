import { decodeJwt, errors } from 'jose'
import type { Logger } from 'pino'
import { permitted } from '../../../kernel/access/permission.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { issueToken } from '../../tokens/public.ts'
import type { ExchangeRequest } from '../contract.ts'
import * as store from '../store.ts'
import { type IssuerKeys, IssuerProblem } from './issuer-keys.ts'
import { type Claims, claimOf, conditionsHold, type JobSubject, subjectOf } from './job-claims.ts'

const minutes = 15
// What they did can be looked up by their names for so long.
const daysKept = 30
// Neither none nor anything with a shared secret: a public key must not be taken for one.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const skewSeconds = 30

type Parts = { db: Database; clock: Clock; keys: IssuerKeys; log: Logger }

/** RFC 8693: the token of a CI job becomes an API token of a service account, bound to what its claims name. */
export function createExchange({ db, clock, keys, log }: Parts) {
  async function exchange(asked: ExchangeRequest, requestId: string) {
    const deploymentId = Number(asked.deployment_id)
    const token = asked.subject_token
    const issuer = issuerOf(token)
    // Before anything is fetched: only issuers that somebody trusts are ever asked.
    const trusts = issuer ? await store.listForIssuer(db.as({ deploymentId }), issuer) : []
    const wanted = trusts.filter(({ audience }) => asked.audience === undefined || asked.audience === audience)
    if (!issuer || wanted.length === 0) throw refuse(requestId, 'no trust for the issuer and audience')
    const claims = await verify(token, issuer, [...new Set(wanted.map(({ audience }) => audience))], requestId)
    const audiences = [claims.aud].flat()
    const trust = wanted.find((one) => audiences.includes(one.audience) && conditionsHold(claims, one.conditions))
    if (!trust) throw refuse(requestId, 'no trust whose conditions hold')
    const subject = subjectOf(trust, claims)
    if (!subject) throw refuse(requestId, 'the claims name no repository and ref')
    return issue(deploymentId, trust, subject, claims, requestId)
  }

  async function verify(token: string, issuer: string, audience: string[], requestId: string): Promise<Claims> {
    const options = {
      audience,
      algorithms,
      currentDate: clock.now(),
      clockTolerance: skewSeconds,
      requiredClaims: ['exp', 'iat', 'sub'],
    }
    try {
      const claims = await keys.verify(token, issuer, options)
      // jose looks at this only where the age is limited too, and jobs run for hours.
      if (claims.iat! > clock.now().getTime() / 1000 + skewSeconds) throw refuse(requestId, 'it is of the future')
      return claims
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw refuse(requestId, error.message)
      if (error instanceof IssuerProblem) {
        log.warn({ requestId, why: error.message }, 'the keys of a CI system cannot be had')
        throw new Fault('unavailable', 'The keys of the CI system cannot be fetched at the moment; try again.')
      }
      throw error
    }
  }

  function issue(deploymentId: number, trust: store.TrustRow, subject: JobSubject, claims: Claims, requestId: string) {
    const { externalId, ...bound } = subject
    const permissions = permitted(trust.role, trust.accountScopes ?? undefined)
    const scopes = trust.permissions.filter((scope) => permissions.has(scope))
    const actor = {
      deploymentId,
      personId: trust.serviceAccountId,
      tokenId: 0,
      role: trust.role,
      permissions,
      requestId,
    }
    return db.transaction(actor, async (tx) => {
      if (!(await store.holdTrust(tx, trust.id, trust.version))) throw refuse(requestId, 'the trust has just changed')
      if (!(await store.claimName(tx, trust, bound.repository, externalId))) {
        throw refuse(requestId, 'the name belongs to another repository')
      }
      const expiresAt = new Date(clock.now().getTime() + minutes * 60_000)
      const wanted = { name: `CI: ${bound.repository}`.slice(0, 200), webApi: true }
      const { secret, token } = await issueToken(tx, {
        personId: trust.serviceAccountId,
        parentId: 0,
        wanted,
        scopes,
        expiresAt,
        ci: { trustId: trust.id, bound },
      })
      await store.noteUsed(tx, trust.id, clock.now())
      await store.removeEnded(tx, trust.id, new Date(expiresAt.getTime() - daysKept * 86_400_000))
      const run = {
        subject: claimOf(claims, 'sub').slice(0, 500),
        run: claimOf(claims, 'run_id') || claimOf(claims, 'pipeline_id'),
      }
      tx.audit({
        action: 'token.exchange',
        target: `ci-trust:${trust.id}`,
        detail: { token: token.id, ...bound, ...run },
      })
      return {
        access_token: secret,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' as const,
        token_type: 'Bearer' as const,
        expires_in: minutes * 60,
        scope: scopes.join(' '),
        repository: bound.repository,
        ref: bound.ref,
      }
    })
  }

  /** One answer for all: anybody can have a genuine token of a public CI system, and must not learn what is trusted. */
  function refuse(requestId: string, why: string): Fault {
    log.info({ requestId, why }, 'a token of a CI job was refused')
    return new Fault('unauthenticated', 'No CI trust of this deployment accepts this token.', { cause: 'exchange' })
  }

  return { exchange }
}

/** What nobody has vouched for yet. */
function issuerOf(token: string): string {
  try {
    return claimOf(decodeJwt(token), 'iss')
  } catch {
    return ''
  }
}
