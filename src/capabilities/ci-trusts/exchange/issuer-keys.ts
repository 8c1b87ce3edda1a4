import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import { explain, requestJson } from '../../../outbound/client/json-request.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import { serviceUrlProblem } from '../../../outbound/ssrf-guard/service-url.ts'

const freshMs = 10 * 60_000
const againMs = 30_000
const timeoutMs = 10_000
const maxBytes = 512 * 1024
const mostIssuers = 500

type Known = { keys: Promise<JWTVerifyGetKey>; at: number }

/** Why the keys of an issuer could not be had. */
export class IssuerProblem extends Error {
  override name = 'IssuerProblem'
}

/**
 * The keys of each issuer, by OpenID Connect Discovery 1.0 §4, kept for ten minutes. A key that is not among them may be new:
 * then they are asked for again, but not more than twice a minute, however many tokens come with invented keys.
 */
export function createIssuerKeys(outbound: Outbound, clock: Clock) {
  const known = new Map<string, Known>()

  /** The claims of a token that one of the issuer's keys has signed, also one that it has only just begun to use. */
  async function verify(token: string, issuer: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const wanted = { ...options, issuer }
    try {
      return (await jwtVerify(token, await keysOf(issuer), wanted)).payload
    } catch (error) {
      const newer = error instanceof errors.JWKSNoMatchingKey ? newerKeysOf(issuer) : undefined
      if (!newer) throw error
      return (await jwtVerify(token, await newer, wanted)).payload
    }
  }

  function keysOf(issuer: string): Promise<JWTVerifyGetKey> {
    const now = clock.now().getTime()
    const found = known.get(issuer)
    return found && now - found.at < freshMs ? found.keys : ask(issuer, now)
  }

  /** The keys asked for again; undefined where that was done a moment ago. */
  function newerKeysOf(issuer: string): Promise<JWTVerifyGetKey> | undefined {
    const now = clock.now().getTime()
    const found = known.get(issuer)
    return found && now - found.at < againMs ? undefined : ask(issuer, now)
  }

  function ask(issuer: string, at: number): Promise<JWTVerifyGetKey> {
    const entry = { keys: fetchKeys(issuer), at }
    known.delete(issuer)
    if (known.size >= mostIssuers) known.delete(known.keys().next().value!)
    known.set(issuer, entry)
    // A failure is not kept: the next job asks again.
    entry.keys.catch(() => known.get(issuer) === entry && known.delete(issuer))
    return entry.keys
  }

  async function fetchKeys(issuer: string): Promise<JWTVerifyGetKey> {
    const about = await get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, issuer)
    if (about.issuer !== issuer) throw new IssuerProblem(`${issuer} calls itself something else in its configuration.`)
    const { jwks_uri: place } = about
    if (typeof place !== 'string' || serviceUrlProblem(place))
      throw new IssuerProblem(`${issuer} names no usable jwks_uri.`)
    const set = await get(place, issuer)
    if (!Array.isArray(set.keys)) throw new IssuerProblem(`${issuer} has no keys at its jwks_uri.`)
    return createLocalJWKSet(set as unknown as JSONWebKeySet) as JWTVerifyGetKey
  }

  async function get(url: string, issuer: string): Promise<Record<string, unknown>> {
    try {
      const { status, body } = await requestJson(outbound, { url, timeoutMs, maxBytes })
      if (status === 200 && body) return body
      throw new IssuerProblem(`${issuer} answers ${status} instead of its configuration or keys.`)
    } catch (error) {
      if (error instanceof OutboundError) throw new IssuerProblem(explain(error, issuer))
      throw error
    }
  }

  return { verify }
}

export type IssuerKeys = ReturnType<typeof createIssuerKeys>
