import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { currentTraceparent, type SpanStart, traced } from '../../kernel/tracing/tracing.ts'
import { createCircuitBreakers } from '../circuit-breaker.ts'
import { asOutboundError, countsAgainstOrigin, isOutage } from '../failure.ts'
import { OutboundError } from '../outbound-error.ts'
import { type Hop, nextHop } from '../ssrf-guard/redirects.ts'
import { type Resolver, systemResolver } from '../ssrf-guard/resolve.ts'
import { createConnections } from './connections.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { firstHop, type OutboundRequest, withCredentials } from './request.ts'
import { collect, limitedBody, tooLarge } from './response-body.ts'

export type OutboundOptions = {
  /** GATEHOUSE_EGRESS_ALLOW: addresses and ranges that may be reached besides public ones, separated by commas. */
  allow: string
  /** Origins that the operator chose for this machine: they may have any address but that of a metadata service. */
  isOperators?: ((origin: string) => boolean) | undefined
  /** URL of the CONNECT proxy for requests `viaBroker`. */
  proxy?: string | undefined
  /** PEM; in place of the system's certificate authorities. */
  ca?: string | undefined
  userAgent?: string | undefined
  connectTimeoutMs?: number | undefined
  circuitFailures?: number | undefined
  circuitPauseMs?: number | undefined
  connectionsPerPool?: number | undefined
  maxPools?: number | undefined
  resolver?: Resolver | undefined
  now?: (() => number) | undefined
}

export type OutboundResponse<Body> = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Where the answer came from in the end. It may hold secrets of the path or query: not for a log. */
  url: string
  body: Body
}

export type Outbound = ReturnType<typeof createOutbound>

const mebibyte = 1024 * 1024

/** The one HTTP client for everything that leaves the server. */
export function createOutbound(options: OutboundOptions) {
  const connections = createConnections({
    allow: options.allow,
    isOperators: options.isOperators ?? (() => false),
    proxy: options.proxy,
    ca: options.ca,
    resolver: options.resolver ?? systemResolver,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    connectionsPerPool: options.connectionsPerPool ?? 128,
    maxPools: options.maxPools ?? 512,
  })
  const circuits = createCircuitBreakers({
    failures: options.circuitFailures ?? 5,
    pauseMs: options.circuitPauseMs ?? 30_000,
    now: options.now ?? Date.now,
  })

  /** The answer whole, in memory. Any status is an answer; only what is not one is thrown, as an OutboundError. */
  async function request(asked: OutboundRequest): Promise<OutboundResponse<Buffer>> {
    const response = await stream(asked)
    return { ...response, body: await collect(response.body) }
  }

  /** The answer as it comes. Destroy the body to end the exchange early. */
  async function stream(asked: OutboundRequest): Promise<OutboundResponse<Readable>> {
    const deadline = createDeadline(asked.timeoutMs ?? 30_000, asked.signal)
    try {
      const first = firstHop(asked, options.userAgent ?? 'gatehouse')
      const { hop, response } = await follow(first, asked, deadline)
      return deliver(hop, response, asked, deadline)
    } catch (error) {
      deadline.clear()
      if (asked.body instanceof Readable) asked.body.destroy()
      throw error
    }
  }

  async function follow(first: Hop, asked: OutboundRequest, deadline: Deadline) {
    let hop = first
    for (let left = asked.maxRedirects ?? 3; ; left--) {
      const response = await traced(requestSpan(hop), async (attributes) => {
        const answer = await ask(hop, asked, deadline)
        if (attributes) attributes['http.response.status_code'] = answer.statusCode
        return answer
      })
      const { location } = response.headers
      try {
        const next = nextHop(hop, response.statusCode, Array.isArray(location) ? location[0] : location)
        if (!next || asked.mayFollow?.(next.url) === false) return { hop, response }
        if (left <= 0) {
          throw new OutboundError('too_many_redirects', `${hop.url.origin} redirects once more than is followed.`)
        }
        hop = next
      } catch (error) {
        response.body.destroy()
        throw error
      }
      // The connection is kept all the same if the body is here already, as a short one is.
      response.body.destroy()
    }
  }

  /** One request to one origin, its circuit told how it went. */
  async function ask(hop: Hop, asked: OutboundRequest, deadline: Deadline): Promise<Dispatcher.ResponseData> {
    const { origin } = hop.url
    // Before the circuit and outside of it: what goes wrong in there is the caller's own, and thrown as it is.
    const headers = { ...(await deadline.race(withCredentials(hop, asked.credentials))), ...traceHeader() }
    const permit = circuits.enter(asked.viaBroker ? `${origin} via the broker` : origin)
    try {
      const find = asked.viaBroker ? connections.viaBroker : connections.direct
      const route = await deadline.race(find(hop.url))
      const response = await deadline.race(
        route().request({
          method: hop.method,
          path: hop.url.pathname + hop.url.search,
          headers,
          body: hop.body ?? null,
          headersTimeout: asked.headersTimeoutMs ?? 30_000,
          bodyTimeout: asked.idleTimeoutMs ?? 30_000,
          signal: deadline.signal,
        }),
      )
      response.body.on('error', () => {})
      if (isOutage(response.statusCode)) permit.failed()
      else permit.succeeded()
      return response
    } catch (error) {
      const failure = asOutboundError(error, origin)
      if (countsAgainstOrigin(failure)) permit.failed()
      else permit.abandoned()
      throw failure
    }
  }

  return { request, stream, circuits: circuits.list, close: connections.close }
}

/** Without the path and the query, where a secret may be. */
function requestSpan({ method, url }: Hop): () => SpanStart {
  return () => ({
    name: method,
    kind: 'client',
    attributes: { 'http.request.method': method, 'server.address': url.hostname },
  })
}

/** The trace alone, which is a random number. What callers may add to it (`tracestate`, `baggage`) stays here. */
function traceHeader(): Record<string, string> {
  const traceparent = currentTraceparent()
  return traceparent ? { traceparent } : {}
}

function deliver(
  { url, method }: Hop,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { decompress, maxBytes = 10 * mebibyte }: OutboundRequest,
  deadline: Deadline,
): OutboundResponse<Readable> {
  const { origin, href } = url
  // These describe a body that is not there (RFC 9110 §9.3.2, §15.4.5).
  const isBare = method === 'HEAD' || status === 204 || status === 304
  if (!isBare && Number(headers['content-length']) > maxBytes) {
    body.destroy()
    throw tooLarge(origin, maxBytes)
  }
  const encoding = decompress && !isBare ? headers['content-encoding'] : undefined
  const limited = limitedBody(body, { origin, maxBytes, encoding: encoding?.toString(), onClose: deadline.clear })
  return { status, headers, url: href, body: limited }
}
