import type { Outbound } from '../../outbound/client/client.ts'
import { explain, formRequest, type JsonAnswer, requestJson } from '../../outbound/client/json-request.ts'
import { retryAfterSeconds } from '../../outbound/client/retry-after.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { originOf } from '../../outbound/ssrf-guard/service-url.ts'

export type TokenRequest = { clientId: string; clientSecret: string; tokenUrl: string }
type TokenAnswer = { token: string } | Refused
type Refused = { token?: undefined; problem: string; isPassing: boolean; retryAfterSeconds: number | undefined }

/** The API that tokens are asked for, by the name that Wiz's authorisation servers know it. */
const audience = 'wiz-api'

/**
 * Asks for a token by a client-credentials grant (RFC 6749 §4.4). Nothing the other side said is repeated but its error
 * code, since it may repeat the secret.
 */
export async function requestToken(
  outbound: Outbound,
  { clientId, clientSecret, tokenUrl }: TokenRequest,
  timeoutMs: number,
): Promise<TokenAnswer> {
  const form = { grant_type: 'client_credentials', audience, client_id: clientId, client_secret: clientSecret }
  return read(await requestJson(outbound, { ...formRequest(form), url: tokenUrl, timeoutMs }), originOf(tokenUrl))
}

/** Undefined where a token came, else what failed. */
export async function tokenProblem(
  outbound: Outbound,
  request: TokenRequest,
  timeoutMs: number,
): Promise<string | undefined> {
  try {
    const answer = await requestToken(outbound, request, timeoutMs)
    return answer.token === undefined ? answer.problem : undefined
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return explain(error, originOf(request.tokenUrl))
  }
}

function read(answer: JsonAnswer, origin: string): TokenAnswer {
  const { status, body } = answer
  const refused = (problem: string, isPassing = status === 429 || status >= 500): Refused => ({
    problem,
    isPassing,
    retryAfterSeconds: retryAfterSeconds(answer),
  })
  if (!body) return refused(`${origin} answered ${status} with something that is not JSON; is tokenUrl right?`)
  const { access_token: token, token_type: type, error } = body
  if (status === 200) {
    const isToken = typeof token === 'string' && /^[!-~]+$/.test(token)
    if (isToken && typeof type === 'string' && type.toLowerCase() === 'bearer') return { token }
    return refused(`${origin} answered without a usable token; is tokenUrl right?`, false)
  }
  const said = typeof error === 'string' && /^[A-Za-z_]{1,60}$/.test(error) ? `${status}, ${error}` : String(status)
  const isRefusal = status === 401 || status === 403 || error === 'invalid_client' || error === 'access_denied'
  const hint = isRefusal ? '; are clientId and clientSecret right?' : '.'
  return refused(`${origin} answered ${said}${hint}`)
}
