import type { FastifyRequest } from 'fastify'
import { Fault } from '../../kernel/contract/fault.ts'

/** Where our own pages come from, if the operator said so; otherwise where this request found us. */
export type OwnOrigin = string | undefined

/**
 * A browser sends the cookie of a session by itself, whoever's page asks for it, so a request that changes something must
 * come from a page of ours, and be one that no form can send.
 */
export function requireOwnPage(request: FastifyRequest, own: OwnOrigin): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (senderOf(request, own) !== 'own') throw crossSite()
  const type = request.headers['content-type']
  if (type === undefined) return
  if (/^application\/json\s*(;|$)/i.test(type)) return
  // A form can send it, but no form sends a header of ours.
  if (/^multipart\/form-data\s*;/i.test(type) && request.headers['x-gatehouse'] !== undefined) return
  throw new Fault(
    'cross_site',
    'In the session of a browser send JSON, or multipart/form-data with a header X-Gatehouse: console.',
  )
}

/** Programs say nothing of where they come from; browsers do, and another site cannot sign anybody in here. */
export function refuseOtherSites(request: FastifyRequest, own: OwnOrigin): void {
  if (senderOf(request, own) === 'other') throw crossSite()
}

/** Fetch Metadata, or for browsers that do not send it (over plain http none does) the origin. */
function senderOf(request: FastifyRequest, own: OwnOrigin): 'own' | 'other' | 'unknown' {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'other'
  if (origin === undefined) return 'unknown'
  return origin === (own ?? `${request.protocol}://${request.host}`) ? 'own' : 'other'
}

function crossSite(): Fault {
  return new Fault('cross_site', 'This request did not come from a page of Gatehouse, so its session does not count.')
}
