import type { Outbound } from '../../../outbound/client/client.ts'
import { explain } from '../../../outbound/client/json-request.ts'
import { secondsIn } from '../../../outbound/client/retry-after.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import { HostError } from './host-error.ts'

type Headers = Record<string, string | string[] | undefined>
type HostAnswer = { status: number; headers: Headers; body: unknown }
export type Fields = Record<string, unknown>

export type HostAsk = (
  method: string,
  path: string,
  more?: { query?: Record<string, string>; body?: object; alsoTake?: readonly number[] },
) => Promise<HostAnswer>

type HostConnection = {
  apiUrl: string
  authorization: string
  /** What the kind of code host wants besides. */
  headers: Record<string, string>
  /** What to do where it says 403. */
  permissions: string
  signal?: AbortSignal | undefined
}

// A check makes up to two requests, which together are over before the request that asked for it is.
const oneRequestMs = 10_000
const mostBytes = 4 * 1024 * 1024
/** For lists: half of a full page of the longest comments is still read in a moment. */
const pageSize = 50
const mostPages = 100

/** One request to the REST API of a code host. The credential is sent to the origin it belongs to and to no other. */
export function createHostAsk(outbound: Outbound, connection: HostConnection): HostAsk {
  const { origin } = new URL(connection.apiUrl)

  return async (method, path, { query = {}, body, alsoTake = [] } = {}) => {
    const search = new URLSearchParams(query).toString()
    try {
      const {
        status,
        headers,
        body: bytes,
      } = await outbound.request({
        method,
        url: `${connection.apiUrl}/${path}${search && `?${search}`}`,
        headers: { ...connection.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body && JSON.stringify(body),
        credentials: { origin, authorization: connection.authorization },
        timeoutMs: oneRequestMs,
        maxBytes: mostBytes,
        // A body may hold a secret, and an API answers where it is asked.
        maxRedirects: 0,
        signal: connection.signal,
      })
      const answer = { status, headers, body: jsonIn(bytes) }
      if (alsoTake.includes(status)) return answer
      return accepted(origin, answer, connection.permissions)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw hostErrorOf(error, origin)
    }
  }
}

function hostErrorOf(error: OutboundError, origin: string): HostError {
  if (error.reason === 'too_many_redirects' || error.reason === 'bad_redirect') {
    return new HostError(
      'missing',
      `${origin} redirects: the repository was renamed there, or the address is not its API.`,
    )
  }
  return new HostError(error.reason === 'blocked_address' ? 'blocked' : 'unreachable', explain(error, origin))
}

function accepted(origin: string, answer: HostAnswer, permissions: string): HostAnswer {
  const { status, body } = answer
  if (status >= 200 && status < 300 && (body !== undefined || status === 204)) return answer
  const wait = waitSeconds(answer)
  if (wait !== undefined || status === 429) {
    throw new HostError('rate_limited', `${origin} asks for fewer requests; it is tried again later.`, wait)
  }
  if (status === 401) {
    throw new HostError('unauthorized', `${origin} refuses the credential. Put a new one in the settings.`)
  }
  if (status === 403) throw new HostError('forbidden', `${origin} forbids it. ${permissions}`)
  if (status === 404) {
    throw new HostError('missing', `${origin} answered 404: it is not there, or this account does not see it.`)
  }
  if (status >= 400 && status < 500) throw new HostError('refused', `${origin} answered ${status}.`)
  throw new HostError('unreachable', `${origin} answered ${status} with something other than a code host does.`, wait)
}

/**
 * For how long a code host asks to be left alone. GitHub says so with 403 or 429: by `retry-after`, or by when the limit
 * that is used up begins again.
 */
function waitSeconds({ status, headers }: HostAnswer, now = Date.now()): number | undefined {
  if (![403, 429, 503].includes(status)) return undefined
  const one = (name: string) => [headers[name]].flat()[0]?.trim() ?? ''
  const asked = secondsIn(one('retry-after'), now)
  if (asked !== undefined) return asked
  const reset = one('x-ratelimit-reset') || one('ratelimit-reset')
  const isUsedUp = status === 429 || one('x-ratelimit-remaining') === '0'
  return isUsedUp && /^\d{1,12}$/.test(reset) ? Math.max(1, Number(reset) - Math.floor(now / 1_000)) : undefined
}

/** Page after page, for as long as they are asked for. */
export async function* pagesOf(
  ask: HostAsk,
  path: string,
  query: Record<string, string> = {},
): AsyncGenerator<Fields[]> {
  for (let page = 1; page <= mostPages; page++) {
    const { body } = await ask('GET', path, { query: { ...query, per_page: String(pageSize), page: String(page) } })
    if (!Array.isArray(body)) throw new HostError('unreachable', 'The code host did not answer with a list.')
    yield body.map(fieldsOf)
    if (body.length < pageSize) return
  }
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Ids of code hosts are numbers, or texts: they become part of addresses, so nothing else is taken. */
export function idOf(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : textOf(value)
  if (!/^[A-Za-z0-9]{1,64}$/.test(id)) throw new HostError('unreachable', 'The code host gave an id that is not one.')
  return id
}

export function commitOf(value: unknown): string {
  const commit = textOf(value)
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new HostError('unreachable', 'The code host gave no commit.')
  return commit
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
