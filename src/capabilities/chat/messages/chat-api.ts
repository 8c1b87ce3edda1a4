import type { Outbound } from '../../../outbound/client/client.ts'
import { explain, formRequest, type JsonAnswer, requestJson } from '../../../outbound/client/json-request.ts'
import { retryAfterSeconds } from '../../../outbound/client/retry-after.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import { ChatError } from './chat-error.ts'

export type ChatApi = ReturnType<typeof createChatApi>
export type Fields = Record<string, string>

/** Error codes that mean our token is good for nothing any more. */
const revokedCodes = new Set([
  'token_revoked',
  'invalid_auth',
  'account_inactive',
  'token_expired',
  'app_not_installed',
])

/**
 * The Web API of a chat service in the manner of Slack: every method is a POST, and whether it went well stands in `ok`.
 * `authorization` is sent to the origin of `url` and to no other.
 */
export function createChatApi(outbound: Outbound, url: string, timeoutMs: number) {
  const { origin } = new URL(url)

  async function call(method: string, authorization: string, fields: Fields = {}): Promise<Record<string, unknown>> {
    return read(method, await ask(method, authorization, fields))
  }

  async function ask(method: string, authorization: string, fields: Fields): Promise<JsonAnswer> {
    try {
      return await requestJson(outbound, {
        ...formRequest(fields),
        url: `${url}/api/${method}`,
        credentials: { origin, authorization },
        timeoutMs,
      })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new ChatError(error.reason === 'blocked_address' ? 'blocked' : 'unreachable', explain(error, origin))
    }
  }

  function read(method: string, answer: JsonAnswer): Record<string, unknown> {
    const { status, body } = answer
    const wait = retryAfterSeconds(answer)
    if (status === 429) throw new ChatError('rate_limited', `${origin} asks for fewer requests.`, wait)
    if (status !== 200) throw new ChatError('unreachable', `${origin} answered ${status}.`, wait)
    if (body?.ok === true) return body
    if (body?.ok !== false) {
      throw new ChatError('unreachable', `${origin} did not answer like a chat service.`)
    }
    const code = typeof body.error === 'string' && /^[a-z_]{1,60}$/.test(body.error) ? body.error : 'no known error'
    if (revokedCodes.has(code) && method !== 'oauth.v2.access') {
      throw new ChatError('revoked', `The chat service took the app's access back (${code}). Install the app again.`)
    }
    throw new ChatError('refused', `The chat service refused: ${code}.`)
  }

  return { origin, call }
}
