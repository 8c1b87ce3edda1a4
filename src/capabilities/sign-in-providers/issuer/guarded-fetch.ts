import type { CustomFetch } from 'openid-client'
import type { Outbound } from '../../../outbound/client/client.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import { serviceUrlProblem } from '../../../outbound/ssrf-guard/service-url.ts'

const timeoutMs = 10_000
const maxBytes = 1024 * 1024

/** What the OpenID client sends goes out as everything else does: past the SSRF guard, within limits, without redirects. */
export function guardedFetch(outbound: Outbound): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const bare = new URL(url)
    bare.search = ''
    const problem = serviceUrlProblem(bare.href)
    if (problem) throw new OutboundError('bad_url', `An address in the configuration of the provider ${problem}.`)
    const text = body instanceof URLSearchParams ? body.toString() : (body ?? undefined)
    const response = await outbound.request({
      method,
      url,
      headers,
      ...(typeof text === 'string' || text instanceof Uint8Array ? { body: text } : {}),
      signal,
      timeoutMs,
      maxBytes,
      maxRedirects: 0,
    })
    const type = response.headers['content-type']
    return new Response(hasNoBody(response.status) ? null : new Uint8Array(response.body), {
      status: response.status,
      headers: type === undefined ? {} : { 'content-type': String(type) },
    })
  }
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}
