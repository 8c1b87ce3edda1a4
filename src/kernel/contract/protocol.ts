import type { IncomingHttpHeaders } from 'node:http'
import type { Fault } from './fault.ts'

/** A refusal as the clients of a protocol read it. */
export type Refusal = {
  /** Where their clients expect another one than ours. */
  status?: number
  headers?: Record<string, string>
  body: unknown
  /** `application/json` unless it says otherwise. */
  mediaType?: string
}

/**
 * How the clients of another product speak with their server, where that differs from ours. What they ask for are endpoints like
 * all others: `Endpoint.protocol` names it. Its token says which deployment is meant, and cookies are never looked at.
 */
export type Protocol = {
  readonly name: string
  /** Beginnings of paths that are the protocol's alone: what is not served there is refused in its words too. */
  readonly below: readonly string[]
  /** The API token of Gatehouse, where this client puts its own key or token. */
  readonly tokenIn: (headers: IncomingHttpHeaders) => string | undefined
  readonly refusal: (fault: Fault, status: number) => Refusal
}

/** The token of an Authorization header of one of these schemes, whatever their case. */
export function schemeToken({ authorization }: IncomingHttpHeaders, ...schemes: string[]): string | undefined {
  const [, scheme, token] = /^(\S+) +(\S+)$/.exec(authorization ?? '') ?? []
  return schemes.some((each) => each.toLowerCase() === scheme?.toLowerCase()) ? token : undefined
}

/** RFC 7617: the password, whoever the user is said to be. */
export function basicPassword(headers: IncomingHttpHeaders): string | undefined {
  const pair = Buffer.from(schemeToken(headers, 'Basic') ?? '', 'base64').toString('utf8')
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined
}

/** A header that holds nothing but the token. */
export function headerToken(headers: IncomingHttpHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0]?.trim()
}
