import type { Outbound } from '../../../outbound/client/client.ts'
import { explain, type JsonAnswer, requestJson } from '../../../outbound/client/json-request.ts'
import { retryAfterSeconds } from '../../../outbound/client/retry-after.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import { TrackerError } from './tracker-error.ts'

export type Connection = { url: string; email: string; apiToken: string }
export type Ask = (method: string, path: string, more?: { query?: Record<string, string>; body?: object }) => Answer
type Answer = Promise<Record<string, unknown>>

/** One request to the REST API, version 3. The credentials are sent to the origin they belong to and to no other. */
export function createAsk(outbound: Outbound, { url, email, apiToken }: Connection, timeoutMs: number): Ask {
  const { origin } = new URL(url)
  const authorization = `Basic ${Buffer.from(`${email}:${apiToken}`).toString('base64')}`

  return async (method, path, { query = {}, body } = {}) => {
    const search = new URLSearchParams(query).toString()
    try {
      const answer = await requestJson(outbound, {
        method,
        url: `${origin}/rest/api/3/${path}${search && `?${search}`}`,
        headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body && JSON.stringify(body),
        credentials: { origin, authorization },
        timeoutMs,
      })
      return accepted(origin, answer, Object.keys((body as { fields?: object } | undefined)?.fields ?? {}))
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new TrackerError(error.reason === 'blocked_address' ? 'blocked' : 'unreachable', explain(error, origin))
    }
  }
}

function accepted(origin: string, answer: JsonAnswer, sent: string[]) {
  const { status, body } = answer
  if (status === 204) return {}
  if (status >= 200 && status < 300 && body) return body
  if (status === 401) {
    throw new TrackerError('unauthorized', `${origin} refuses the credentials; connect again with a new API token.`)
  }
  const wait = retryAfterSeconds(answer)
  if (status === 429) throw new TrackerError('rate_limited', `${origin} asks for fewer requests.`, wait)
  if (status === 403) throw new TrackerError('refused', `${origin} answered 403; may the account do this?`)
  if (status === 404) throw new TrackerError('missing', `${origin} answered 404; may the account see it?`)
  if (status >= 400 && status < 500)
    throw new TrackerError('refused', `${origin} answered ${status}${blamed(body, sent)}.`)
  throw new TrackerError('unreachable', `${origin} answered ${status} with something other than a tracker does.`, wait)
}

/** Which of the fields that we sent it did not like. Other names are its own words. */
function blamed(body: Record<string, unknown> | undefined, sent: string[]): string {
  const errors = typeof body?.errors === 'object' && body.errors !== null ? body.errors : {}
  const names = sent.filter((name) => Object.hasOwn(errors, name))
  return names.length > 0 ? ` because of ${names.map((name) => `'${name}'`).join(', ')}` : ''
}
