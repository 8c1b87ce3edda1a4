import { Fault } from '../../kernel/contract/fault.ts'
import type { Outbound, OutboundResponse } from '../../outbound/client/client.ts'
import { explain } from '../../outbound/client/json-request.ts'
import type { Credentials } from '../../outbound/client/request.ts'
import { secondsIn } from '../../outbound/client/retry-after.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Incoming } from '../cache/artifacts.ts'
import type { Fetched, Validators } from '../cache/documents.ts'
import { NoRoom } from '../cache/room-queue.ts'
import { RegistryRefusal } from '../refusal.ts'
import { collectBody, ownerOf } from './collect-body.ts'
import type { OpenRegistry } from './registries.ts'
import type { UpstreamTimes } from './times.ts'

/** A registry that packages come from. */
export type Upstream = {
  /** The entry of the deployment it stands for; undefined for the default one. */
  registry: OpenRegistry | undefined
  /** Whether everybody may publish there, so that whose a name is there proves nothing. */
  isPublic: boolean
  /** Whose things in the cache are whose. */
  partition: string
  /** With a slash at its end. */
  url: string
  credentials: Credentials | undefined
  viaBroker: boolean
  outbound: Outbound
  times: UpstreamTimes
  /** How long its metadata is served without asking again. */
  freshMs: number
  /** Hosts besides its own that its artifacts may come from; `*.` means all below. */
  artifactHosts: readonly string[]
  /** Whether a redirect there says that it does not have it: GitLab refers to a public registry for what is not in its own. */
  isReferral(to: URL): boolean
  /** Told of every request to it that fails. */
  onFailure?: () => void
}

/** Unpacked. Three times the largest that the public registries were seen to have. */
const documentBytes = 64 * 1024 * 1024
const defaultRetrySeconds = 5
const mostRetrySeconds = 300

/**
 * Asks for a document. It comes from the upstream itself: nothing vouches for what another host would say in its place. What belongs to
 * an artifact may be where the artifact is, if the upstream leads there. No other host is asked before that is known, so that none
 * learns the name.
 */
export async function fetchDocument(
  upstream: Upstream,
  url: string,
  accept: string,
  known: Validators,
  from: 'itself' | 'where it leads' = 'itself',
): Promise<Fetched> {
  const headers: Record<string, string> = { accept }
  if (known.etag !== undefined) headers['if-none-match'] = known.etag
  else if (known.lastModified !== undefined) headers['if-modified-since'] = known.lastModified
  return guarded(upstream, async () => {
    const response = await upstream.outbound.stream({
      url,
      headers,
      credentials: upstream.credentials,
      viaBroker: upstream.viaBroker,
      decompress: true,
      maxBytes: documentBytes,
      timeoutMs: upstream.times.documentMs,
      mayFollow: (to) => (from === 'itself' ? to.origin === new URL(url).origin : !upstream.isReferral(to)),
      ...silences(upstream),
    })
    const { status } = response
    const target = redirectIn(response)
    if (target) {
      response.body.destroy()
      if (upstream.isReferral(target)) return { state: 'missing' }
      throw bad(upstream, 'redirects to another host')
    }
    const { body, release } = await collectBody(response.body, ownerOf(upstream.partition))
    if (status !== 200) release()
    if (status === 304) return { state: 'same' }
    if (status === 404 || status === 410) return { state: 'missing' }
    if (status !== 200) throw unexpected(upstream, response)
    const contentType = headerOf(response, 'content-type') ?? ''
    const [etag, lastModified] = [headerOf(response, 'etag'), headerOf(response, 'last-modified')]
    return { state: 'found', body, contentType, etag, lastModified, release }
  })
}

/** Where a redirect leads that was not followed. */
function redirectIn(response: OutboundResponse<unknown>): URL | undefined {
  const location = headerOf(response, 'location')
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status)
  return isRedirect && location !== undefined ? (URL.parse(location, response.url) ?? undefined) : undefined
}

/**
 * The bytes of an artifact as they come, nothing about them checked yet; undefined where there are none. `hasDigest`: the upstream has
 * said what they hash to, so it does not matter where they come from.
 */
export async function fetchArtifact(
  upstream: Upstream,
  url: URL,
  maxBytes: number,
  hasDigest: boolean,
): Promise<Incoming | undefined> {
  const isOwn = url.origin === new URL(upstream.url).origin
  if (!isOwn && !upstream.artifactHosts.some((pattern) => matchesHost(pattern, url.hostname))) {
    const advice = 'Whoever looks after the deployment can let it through with an entry for the malware firewall.'
    throw bad(upstream, `has this artifact at ${url.host}, which is not one of its own hosts. ${advice}`)
  }
  return guarded(upstream, async () => {
    const response = await upstream.outbound.stream({
      url,
      credentials: isOwn ? upstream.credentials : undefined,
      viaBroker: upstream.viaBroker && isOwn,
      maxBytes,
      timeoutMs: upstream.times.artifactMs,
      mayFollow: (to) => hasDigest || !upstream.isReferral(to),
      ...silences(upstream),
    })
    if (response.status === 200) return { chunks: response.body, expectedBytes: lengthOf(response) }
    response.body.destroy()
    if (response.status === 404 || response.status === 410 || redirectIn(response)) return undefined
    throw unexpected(upstream, response)
  })
}

function lengthOf(response: OutboundResponse<unknown>): number | undefined {
  const length = headerOf(response, 'content-length') ?? ''
  return /^[0-9]{1,15}$/.test(length) ? Number(length) : undefined
}

function silences({ times }: Upstream) {
  return { headersTimeoutMs: times.headersMs, idleTimeoutMs: times.idleMs }
}

/** Whether there is something at an address of the upstream's own. */
export async function exists(upstream: Upstream, url: string): Promise<boolean> {
  return (await head(upstream, url)) !== undefined
}

/** How the upstream answers at an address, with our credentials or as to anybody; neither the answer is read nor a redirect followed. */
export async function statusOf(upstream: Upstream, url: string, as: 'us' | 'anybody'): Promise<number> {
  return guarded(upstream, async () => {
    const response = await upstream.outbound.stream({
      url,
      credentials: as === 'us' ? upstream.credentials : undefined,
      viaBroker: upstream.viaBroker,
      mayFollow: () => false,
      timeoutMs: upstream.times.documentMs,
      ...silences(upstream),
    })
    response.body.destroy()
    if (response.status === 429 || response.status >= 500) throw unexpected(upstream, response)
    return response.status
  })
}

/** Undefined where there is nothing, or nothing is said. */
export async function lastModified(upstream: Upstream, url: string): Promise<Date | undefined> {
  const response = await head(upstream, url)
  const time = new Date((response && headerOf(response, 'last-modified')) ?? '')
  return Number.isNaN(time.getTime()) ? undefined : time
}

function head(upstream: Upstream, url: string): Promise<OutboundResponse<unknown> | undefined> {
  const { credentials, viaBroker, times } = upstream
  const timeoutMs = times.headersMs
  const mayFollow = (to: URL) => !upstream.isReferral(to)
  return guarded(upstream, async () => {
    const response = await upstream.outbound.request({
      method: 'HEAD',
      url,
      credentials,
      viaBroker,
      timeoutMs,
      mayFollow,
    })
    if (response.status === 404 || response.status === 410 || redirectIn(response)) return undefined
    if (response.status !== 200) throw unexpected(upstream, response)
    return response
  })
}

/** What goes wrong with an upstream is told as such, in words that name its origin at most. */
export async function guarded<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutboundError || isFailure(error)) upstream.onFailure?.()
    if (!(error instanceof OutboundError)) throw error
    throw new Fault('bad_upstream', explain(error, originOf(upstream)), { cause: error })
  }
}

function isFailure(error: unknown): boolean {
  if (!(error instanceof Fault) || error instanceof NoRoom) return false
  return error.code === 'bad_upstream' || error.code === 'unavailable'
}

export function bad(upstream: Upstream, what: string): Fault {
  return new Fault('bad_upstream', `${originOf(upstream)} ${what}`)
}

/** A registry that asks to be left alone for a while is told of as such: clients know how to wait (RFC 9110 §10.2.3). */
function unexpected(upstream: Upstream, response: OutboundResponse<unknown>): Fault {
  const { status } = response
  const wait = headerOf(response, 'retry-after')
  if (status === 429 || (status === 503 && wait !== undefined)) {
    const message = `${originOf(upstream)} answered ${status}: it asks to be left alone for a while.`
    return new Fault('unavailable', message, { retryAfterSeconds: retrySeconds(wait) })
  }
  if (status === 401 || status === 403) {
    const why = 'the credentials stored for it are missing or not right'
    return new RegistryRefusal(`${originOf(upstream)} refuses us (${status}): ${why}. Nobody else is asked.`)
  }
  if (status === 451) {
    return new RegistryRefusal(`${originOf(upstream)} answered 451: it may not hand this out for legal reasons.`)
  }
  return bad(upstream, `answered ${status}.`)
}

/** Seconds or a date; whoever asks for longer is asked again all the same. */
function retrySeconds(wait: string | undefined): number {
  const seconds = secondsIn(wait ?? '', Date.now()) ?? defaultRetrySeconds
  return Math.min(mostRetrySeconds, Math.max(1, seconds))
}

function originOf({ url }: Upstream): string {
  return new URL(url).origin
}

export function headerOf({ headers }: OutboundResponse<unknown>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase()
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
}
