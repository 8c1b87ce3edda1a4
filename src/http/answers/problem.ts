import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Fault, type FaultCode, type FieldError, faults } from '../../kernel/contract/fault.ts'
import { protocolOf, sendRefusal } from './protocol-refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What it was refused with, for the metrics. */
    faultCode: FaultCode | undefined
  }
}

/** RFC 9457. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: FaultCode
  requestId: string
  errors?: FieldError[]
  /** RFC 6749 §5.2: where clients of OAuth look for the code. */
  error?: FaultCode
}

const oauthCodes: ReadonlySet<FaultCode> = new Set([
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
])

export function problemOf(fault: Fault, instance: string, requestId: string): Problem {
  const { status, title } = faults[fault.code]
  const problem = {
    type: `/docs/errors#${fault.code}`,
    title,
    status,
    detail: fault.message,
    instance,
    code: fault.code,
    requestId,
    ...(oauthCodes.has(fault.code) && { error: fault.code }),
  }
  return fault.errors.length > 0 ? { ...problem, errors: fault.errors } : problem
}

export function sendFault(request: FastifyRequest, reply: FastifyReply, fault: Fault): FastifyReply {
  request.faultCode = fault.code
  if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', String(fault.retryAfterSeconds))
  if (fault.allow.length > 0) reply.header('allow', fault.allow.join(', '))
  const { status } = faults[fault.code]
  if (status === 401) reply.header('www-authenticate', challenge(fault))
  const protocol = protocolOf(request)
  if (protocol) return sendRefusal(reply, protocol, fault, status)
  return reply
    .code(status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problemOf(fault, pathOf(request.url), request.id))
}

/** RFC 6750 §3: the error code only where credentials were sent. */
function challenge(fault: Fault): string {
  const sent = fault.code !== 'unauthenticated' || fault.cause !== undefined
  return sent ? 'Bearer realm="gatehouse", error="invalid_token"' : 'Bearer realm="gatehouse"'
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return path.length > 300 ? `${path.slice(0, 300)}…` : path
}

const frameworkFaults: Record<string, (error: FastifyError) => Fault> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Fault('payload_too_large', 'The body is larger than this endpoint takes.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Fault('unsupported_media_type', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Fault('malformed_request', 'The body is not as long as Content-Length says.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Fault('uri_too_long', 'A part of the path is longer than 500 characters.'),
  FST_ERR_BAD_URL: () => new Fault('malformed_request', 'The address is not valid.'),
}

export function tooSlow(): Fault {
  return new Fault('timeout', 'The operation took longer than it may.', { retryAfterSeconds: 5 })
}

/** Whatever was thrown as the Fault the caller may see; a bug becomes `internal`, its cause kept for the log. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = (error as FastifyError | undefined)?.code ?? ''
  const known = frameworkFaults[code]
  if (known) return known(error as FastifyError)
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new Fault('malformed_request', 'The body broke off.', { cause: error })
  }
  return new Fault('internal', 'Something went wrong on our side; the request id names it in the log.', {
    cause: error,
  })
}
