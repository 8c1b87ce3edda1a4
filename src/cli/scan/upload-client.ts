import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { EnvHttpProxyAgent } from 'undici'
import { exchangeToken } from '../../capabilities/ci-trusts/contract.ts'
import { type EndedBranch, endBranch } from '../../capabilities/scans/branches/branch-contract.ts'
import {
  type EndedPullRequest,
  endPullRequest,
  type NewScan,
  type Receipt,
  uploadScan,
} from '../../capabilities/scans/contract.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import { CommandProblem } from '../command-problem.ts'
import { printable } from './receipt-table.ts'
import { type OutgoingFile, uploadBody } from './upload-body.ts'

export type Server = { url: URL; token: string; deploymentId: number }

export type UploadEvents = {
  onAttempt?: () => void
  onRead?: (bytes: number) => void
  /** Before waiting to try again. */
  onRetry?: (why: string, seconds: number) => void
  wait?: (seconds: number) => Promise<unknown>
}

/** What is asked for, as people call it, and how its answer is known. */
type Ended = { endedFindings: number; known?: boolean }
type Asked<Answer> = { what: string; isAnswer: (body: unknown) => body is Answer }
type UploadAttempt<Answer> = { answer: Answer } | { retry: string; afterSeconds?: number | undefined }

const upload = { what: 'upload', isAnswer: isReceipt }
const exchange = { what: 'request', isAnswer: isExchange }
const end = { what: 'request', isAnswer: isEnd }

const maxAttempts = 6
const maxWaitSeconds = 120
const runAgain = 'Check the address and run it again later: what has arrived already is not recorded twice.'
// The server takes ten minutes for the largest upload, most of them after the last byte.
const answerTimeoutMs = 11 * 60_000

/**
 * Uploads a scan. What passes by itself (the server is busy or restarting, the connection was lost) is tried again, under
 * one Idempotency-Key, so that it happens once however often it is sent.
 */
export async function sendScan(
  server: Server,
  scan: NewScan,
  files: readonly OutgoingFile[],
  events: UploadEvents = {},
): Promise<Receipt> {
  const { EnvHttpProxyAgent } = await import('../http-client.ts')
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs })
  const key = randomUUID()
  const attempt = () => {
    events.onAttempt?.()
    const { contentType, chunks } = uploadBody(scan, files, events.onRead)
    const headers = { 'content-type': contentType, 'idempotency-key': key }
    const body = Readable.from(chunks, { objectMode: false })
    return post(server, dispatcher, uploadScan.path, headers, body, upload)
  }
  return persist(events, attempt).finally(() => dispatcher.destroy())
}

/** Exchanges the token of a CI job for one of Gatehouse (RFC 8693). */
export async function exchangeJobToken(
  server: Omit<Server, 'token'>,
  fields: Record<string, string>,
  events: Pick<UploadEvents, 'onRetry' | 'wait'> = {},
): Promise<string> {
  const { EnvHttpProxyAgent } = await import('../http-client.ts')
  const dispatcher = new EnvHttpProxyAgent()
  const body = () => Readable.from([Buffer.from(new URLSearchParams(fields).toString())], { objectMode: false })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await persist(events, () =>
    post({ ...server, token: '' }, dispatcher, exchangeToken.path, headers, body(), exchange),
  ).finally(() => dispatcher.destroy())
  return answer.access_token
}

/** Says that a pull request or a branch is over. Sent again it changes nothing more, so it is tried again like an upload. */
export async function sendEnd(
  server: Server,
  ended: EndedPullRequest | EndedBranch,
  events: Pick<UploadEvents, 'onRetry' | 'wait'> = {},
): Promise<Ended> {
  const { EnvHttpProxyAgent } = await import('../http-client.ts')
  const dispatcher = new EnvHttpProxyAgent()
  const { path } = 'pullRequest' in ended ? endPullRequest : endBranch
  const body = () => Readable.from([Buffer.from(JSON.stringify(ended))], { objectMode: false })
  const headers = { 'content-type': 'application/json' }
  return persist(events, () => post(server, dispatcher, path, headers, body(), end)).finally(() => dispatcher.destroy())
}

async function persist<Answer>(
  events: Pick<UploadEvents, 'onRetry' | 'wait'>,
  attempt: () => Promise<UploadAttempt<Answer>>,
): Promise<Answer> {
  const wait = events.wait ?? ((seconds: number) => delay(seconds * 1000))
  for (let count = 1; ; count++) {
    const outcome = await attempt()
    if ('answer' in outcome) return outcome.answer
    if (count === maxAttempts) throw new CommandProblem(`${outcome.retry}, ${count} times in a row. ${runAgain}`)
    const seconds = Math.min(outcome.afterSeconds ?? 2 ** (count - 2), maxWaitSeconds)
    events.onRetry?.(outcome.retry, seconds)
    await wait(seconds)
  }
}

async function post<Answer>(
  server: Server,
  dispatcher: EnvHttpProxyAgent,
  path: string,
  headers: Record<string, string>,
  body: Readable,
  asked: Asked<Answer>,
): Promise<UploadAttempt<Answer>> {
  const address = addressOf(server, path)
  try {
    const { request } = await import('../http-client.ts')
    const answer = await request(address, {
      dispatcher,
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json',
        ...(server.token && { authorization: `Bearer ${server.token}` }),
      },
      body,
    })
    const text = await answer.body.text()
    return read(answer.statusCode, answer.headers, text, address, asked)
  } catch (error) {
    if (error instanceof CommandProblem) throw error
    return lost(error as Error, server.url)
  }
}

function addressOf({ url, deploymentId }: Server, path: string): string {
  return `${url.origin}${trimEnd(url.pathname, '/')}${path.replace(':deploymentId', String(deploymentId))}`
}

type Headers = Record<string, string | string[] | undefined>

function read<Answer>(
  status: number,
  headers: Headers,
  text: string,
  address: string,
  { what, isAnswer }: Asked<Answer>,
): UploadAttempt<Answer> {
  const body = parse(text)
  if (status === 200 && isAnswer(body)) return { answer: body }
  if (status === 429 || (status >= 502 && status <= 504)) {
    const why = isProblem(body) ? `Gatehouse answers ${status}: ${body.detail}` : `${address} answers ${status}`
    return { retry: why.replace(/\.$/, ''), afterSeconds: secondsOf(headers['retry-after']) }
  }
  if (status >= 300 && status < 400 && headers.location) {
    throw new CommandProblem(`${address} redirects to ${headers.location}: give the address of Gatehouse itself.`)
  }
  if (!isProblem(body)) throw new CommandProblem(`${address} answers ${status}, and not as Gatehouse does.`)
  const places = (body.errors ?? []).map(({ pointer, detail }) => `\n  ${printable(`${nameOf(pointer)}: ${detail}`)}`)
  const request = status >= 500 ? ` (request ${body.requestId})` : ''
  const advice = adviceFor[status] ? ` ${adviceFor[status]}` : ''
  throw new CommandProblem(
    `Gatehouse refused the ${what} (${status}): ${body.detail}${request}${advice}${places.join('')}`,
  )
}

const adviceFor: Partial<Record<number, string>> = {
  401: 'Sign in again (gatehouse login), or put a token that is still valid into GATEHOUSE_TOKEN.',
  404: 'Check the address and the deployment (--url, --deployment).',
}

type Problem = { detail: string; requestId?: string; errors?: { pointer: string; detail: string }[] }

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof (body as Problem | undefined)?.detail === 'string'
}

function isReceipt(body: unknown): body is Receipt {
  return Array.isArray((body as Receipt | undefined)?.files)
}

function isExchange(body: unknown): body is { access_token: string } {
  return typeof (body as { access_token?: unknown } | undefined)?.access_token === 'string'
}

function isEnd(body: unknown): body is Ended {
  return typeof (body as { endedFindings?: unknown } | undefined)?.endedFindings === 'number'
}

/** Of a JSON pointer, for people. */
function nameOf(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('~1', '/').replaceAll('~0', '~')
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function secondsOf(retryAfter: string | string[] | undefined): number | undefined {
  const text = String(retryAfter ?? '')
  if (/^\d+$/.test(text)) return Number(text)
  const until = Date.parse(text)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - Date.now()) / 1000))
}

const passing = /^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_(SOCKET|CONNECT_TIMEOUT|ABORTED))/

function lost(error: Error, url: URL): { retry: string } {
  const { code = '', message } = causeOf(error)
  const why = `${url.origin} cannot be reached (${code || message})`
  if (passing.test(code)) return { retry: why }
  const certificate = /CERT|SELF_SIGNED|ISSUER|ALTNAME|UNABLE_TO_VERIFY/.test(code)
  const advice = certificate
    ? ': if your own authority signs it, name its certificate in NODE_EXTRA_CA_CERTS'
    : ': check the address (--url or GATEHOUSE_URL)'
  throw new CommandProblem(`${why}${advice}.`)
}

/** A name with several addresses fails with one error for each. */
function causeOf(error: Error): { code?: string | undefined; message: string } {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  const { code } = error as NodeJS.ErrnoException
  if (inner instanceof Error && (!code || !passing.test(code))) return causeOf(inner)
  return error as NodeJS.ErrnoException
}
