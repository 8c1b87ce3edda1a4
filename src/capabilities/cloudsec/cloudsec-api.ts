import type { Outbound } from '../../outbound/client/client.ts'
import { explain, type JsonAnswer, requestJson } from '../../outbound/client/json-request.ts'
import type { OutboundRequest } from '../../outbound/client/request.ts'
import { retryAfterSeconds } from '../../outbound/client/retry-after.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { originOf } from '../../outbound/ssrf-guard/service-url.ts'
import { requestToken, type TokenRequest } from './token-request.ts'

/** The message is ours: nothing the other side said is repeated, since it may repeat secrets. */
export class CloudsecError extends Error {
  /** Another try may help. */
  readonly isPassing: boolean
  /** Where the service says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, isPassing: boolean, retryAfterSeconds?: number) {
    super(message)
    this.name = 'CloudsecError'
    this.isPassing = isPassing
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const wanted = `query RequestSecurityScanUpload($filename: String!) {
  requestSecurityScanUpload(filename: $filename) { upload { id url systemActivityId } }
}`

/** The part of a cloud-security service's API, in the manner of Wiz, that takes findings of others. */
export function createCloudsecApi(outbound: Outbound, access: TokenRequest & { apiUrl: string }, timeoutMs: number) {
  const origin = originOf(access.apiUrl)

  /** A place to put the file is asked for first; it may be at another service, which gets no token. */
  async function upload(filename: string, document: object): Promise<void> {
    const url = await placeFor(filename, await token())
    const body = JSON.stringify(document)
    const headers = { 'content-type': 'application/json' }
    // Storage answers without JSON.
    const answer = await asked(url, () =>
      outbound.request({ method: 'PUT', url, headers, body, timeoutMs, maxRedirects: 0, maxBytes: 64 * 1024 }),
    )
    if (answer.status >= 300) throw refusal(URL.parse(url)?.origin ?? origin, answer)
  }

  async function token(): Promise<string> {
    const answer = await asked(access.tokenUrl, () => requestToken(outbound, access, timeoutMs))
    if (answer.token !== undefined) return answer.token
    throw new CloudsecError(answer.problem, answer.isPassing, answer.retryAfterSeconds)
  }

  async function placeFor(filename: string, bearer: string): Promise<string> {
    const answer = await ask({
      method: 'POST',
      url: access.apiUrl,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: wanted, variables: { filename } }),
      credentials: { origin, authorization: `Bearer ${bearer}` },
      timeoutMs,
    })
    if (answer.status !== 200) throw refusal(origin, answer)
    const url = placeIn(answer.body)
    if (!url)
      throw new CloudsecError(`${origin} gave no upload address; is the service account permitted to upload?`, false)
    return url
  }

  function ask(request: OutboundRequest): Promise<JsonAnswer> {
    return asked(access.apiUrl, () => requestJson(outbound, request))
  }

  return { upload }
}

async function asked<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const lasting = ['blocked_address', 'bad_url', 'bad_redirect', 'too_many_redirects'].includes(error.reason)
    throw new CloudsecError(explain(error, URL.parse(url)?.origin ?? 'the service'), !lasting)
  }
}

function refusal(origin: string, answer: Pick<JsonAnswer, 'status' | 'headers'>): CloudsecError {
  const { status } = answer
  const isPassing = status === 429 || status >= 500
  const hint = status === 401 || status === 403 ? '; may the service account do this?' : '.'
  return new CloudsecError(`${origin} answered ${status}${hint}`, isPassing, retryAfterSeconds(answer))
}

function placeIn(body: Record<string, unknown> | undefined): string | undefined {
  const data = body?.data as { requestSecurityScanUpload?: { upload?: { url?: unknown } } } | null | undefined
  const url = data?.requestSecurityScanUpload?.upload?.url
  return typeof url === 'string' && /^https?:\/\//.test(url) ? url : undefined
}
