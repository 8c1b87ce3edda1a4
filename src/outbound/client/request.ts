import type { Readable } from 'node:stream'
import { OutboundError } from '../outbound-error.ts'
import type { Hop } from '../ssrf-guard/redirects.ts'
import { checkedHeaders } from '../ssrf-guard/request-headers.ts'
import { checkedUrl } from '../ssrf-guard/url-rules.ts'
import { acceptedEncodings } from './response-body.ts'

export type Credentials = {
  /** They are sent to this origin and to no other. */
  origin: string
  /** The value of the Authorization header, or what makes it when it is needed. */
  authorization: string | (() => string | Promise<string>)
}

export type OutboundRequest = {
  method?: string | undefined
  url: string | URL
  /** Meant for the origin of `url`; on a redirect to another one only harmless ones go along. */
  headers?: Record<string, string> | undefined
  body?: string | Uint8Array | Readable | undefined
  credentials?: Credentials | undefined
  /** For the whole exchange, the body included. */
  timeoutMs?: number | undefined
  headersTimeoutMs?: number | undefined
  /** The longest silence within the body. A reader that pauses is not silence. */
  idleTimeoutMs?: number | undefined
  maxBytes?: number | undefined
  maxRedirects?: number | undefined
  /** Whether a redirect is followed; one that is not is the answer. */
  mayFollow?: ((to: URL) => boolean) | undefined
  /** Asks for a compressed answer and undoes it. Otherwise the bytes are handed on as they come. */
  decompress?: boolean | undefined
  viaBroker?: boolean | undefined
  signal?: AbortSignal | undefined
}

export function firstHop(asked: OutboundRequest, userAgent: string): Hop {
  const method = (asked.method ?? 'GET').toUpperCase()
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method)) {
    throw new OutboundError('bad_request', 'This method cannot be used.')
  }
  const encoding = asked.decompress ? acceptedEncodings : 'identity'
  const headers = { 'user-agent': userAgent, 'accept-encoding': encoding, ...checkedHeaders(asked.headers ?? {}) }
  return { url: checkedUrl(asked.url), method, headers, body: asked.body, hasCrossed: false }
}

export async function withCredentials(hop: Hop, credentials: Credentials | undefined): Promise<Record<string, string>> {
  if (!credentials || hop.hasCrossed || URL.parse(credentials.origin)?.origin !== hop.url.origin) return hop.headers
  const { authorization } = credentials
  const value = typeof authorization === 'string' ? authorization : await authorization()
  return { ...hop.headers, authorization: value }
}
