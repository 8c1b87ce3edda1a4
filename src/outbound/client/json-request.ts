import type { OutboundError } from '../outbound-error.ts'
import type { Outbound } from './client.ts'
import type { OutboundRequest } from './request.ts'

/** `body` is undefined where the answer is not a JSON object. */
export type JsonAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown> | undefined
}

/** Asks an API for JSON. Redirects are not followed: a body may hold a secret, and an API answers where it is asked. */
export async function requestJson(outbound: Outbound, request: OutboundRequest): Promise<JsonAnswer> {
  const { status, headers, body } = await outbound.request({ maxBytes: 4 * 1024 * 1024, ...request, maxRedirects: 0 })
  return { status, headers, body: objectIn(body) }
}

/** Fields of an HTML form, as OAuth endpoints take them (RFC 6749 appendix B). */
export function formRequest(fields: Record<string, string>) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(fields).toString(),
  }
}

/** Why no answer came, for the caller. */
export function explain({ reason, message }: OutboundError, origin: string): string {
  if (reason === 'too_many_redirects' || reason === 'bad_redirect') return `${origin} redirects instead of answering.`
  if (reason === 'blocked_address') return `${message} The operator can allow it with GATEHOUSE_EGRESS_ALLOW.`
  return message
}

function objectIn(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
