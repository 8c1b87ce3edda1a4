import type { Outbound } from '../../outbound/client.ts'
import { explain, formRequest, type JsonAnswer, requestJson } from '../../outbound/json-request.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { originOf } from '../../outbound/service-url.ts'

export type TokenRequest = { clientId: string; clientSecret: string; tokenUrl: string }

/** The API that tokens are asked for, by the name that Wiz's authorisation servers know it. */
const audience = 'wiz-api'

/**
 * Asks for a token by a client-credentials grant (RFC 6749 §4.4). Undefined where one came, else what failed. Nothing the
 * other side said is repeated but its error code, since it may repeat the secret.
 */
export async function tokenProblem(
  outbound: Outbound,
  { clientId, clientSecret, tokenUrl }: TokenRequest,
  timeoutMs: number,
): Promise<string | undefined> {
  const form = { grant_type: 'client_credentials', audience, client_id: clientId, client_secret: clientSecret }
  try {
    return problemIn(
      await requestJson(outbound, { ...formRequest(form), url: tokenUrl, timeoutMs }),
      originOf(tokenUrl),
    )
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return explain(error, originOf(tokenUrl))
  }
}

function problemIn({ status, body }: JsonAnswer, origin: string): string | undefined {
  if (!body) return `${origin} answered ${status} with something that is not JSON; is tokenUrl right?`
  const { access_token: token, token_type: type, error } = body
  if (status === 200) {
    const isToken = typeof token === 'string' && /^[!-~]+$/.test(token)
    if (isToken && typeof type === 'string' && type.toLowerCase() === 'bearer') return undefined
    return `${origin} answered without a usable token; is tokenUrl right?`
  }
  const said = typeof error === 'string' && /^[A-Za-z_]{1,60}$/.test(error) ? `${status}, ${error}` : String(status)
  const isRefusal = status === 401 || status === 403 || error === 'invalid_client' || error === 'access_denied'
  return `${origin} answered ${said}${isRefusal ? '; are clientId and clientSecret right?' : '.'}`
}
