import { Readable } from 'node:stream'
import { OutboundError } from '../outbound-error.ts'
import { checkedUrl } from './url-rules.ts'

export type Hop = {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | Readable | undefined
  /** True once a redirect has left the origin of the first request: from then on nothing secret is sent, wherever it leads. */
  hasCrossed: boolean
}

/** What may go to an origin that the caller did not name. A list of the harmless: nobody can list all that is secret. */
const crossing = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'range',
  'user-agent',
])

/** The next request after an answer (RFC 9110 §15.4), or undefined if the answer is not a redirect. */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const url = checkedUrl(location, hop.url)
  const hasCrossed = hop.hasCrossed || url.origin !== hop.url.origin
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refuse(hop, 'to an address without encryption')
  }
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
  const headers = hasCrossed ? pick(hop.headers, (name) => crossing.has(name)) : hop.headers
  if (becomesGet) {
    const bare = pick(headers, (name) => !name.startsWith('content-'))
    return { url, method: 'GET', headers: bare, body: undefined, hasCrossed }
  }
  if (hop.body !== undefined) {
    if (hop.body instanceof Readable) throw refuse(hop, 'while its request body can be sent only once')
    // A body is as secret as a header: token requests carry theirs in it.
    if (hasCrossed) throw refuse(hop, 'with its request body, to another origin')
  }
  return { url, method: hop.method, headers, body: hop.body, hasCrossed }
}

function refuse(hop: Hop, why: string): OutboundError {
  return new OutboundError('bad_redirect', `${hop.url.origin} redirects ${why}.`)
}

function pick(headers: Record<string, string>, keep: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)))
}
