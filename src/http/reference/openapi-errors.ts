import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { type FaultCode, faults } from '../../kernel/contract/fault.ts'
import type { Json } from './openapi-schemas.ts'

/** Names of the shared answers, by status. */
const names: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'Unavailable',
}

export const problemSchema = {
  type: 'object',
  description: 'What went wrong (RFC 9457)',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  properties: {
    type: { type: 'string', description: 'Address of the documentation of this error' },
    title: { type: 'string', description: 'What kind of error it is' },
    status: { type: 'integer', description: 'HTTP status' },
    detail: { type: 'string', description: 'What went wrong this time' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { $ref: '#/components/schemas/ProblemCode' },
    requestId: { type: 'string', description: 'Names this request in the log' },
    errors: {
      type: 'array',
      description: 'Each fault of the request',
      items: { $ref: '#/components/schemas/ProblemField' },
    },
  },
}

export const problemParts = {
  ProblemCode: { type: 'string', enum: Object.keys(faults), description: 'Stable name of the error' },
  ProblemField: {
    type: 'object',
    description: 'A fault of the request',
    required: ['pointer', 'detail'],
    properties: {
      pointer: { type: 'string', description: 'JSON pointer into the body; /path and /query for the address' },
      detail: { type: 'string', description: 'What is wrong there' },
    },
  },
}

/** What any operation may answer with, whatever it does. */
const everywhere: FaultCode[] = [
  'validation_failed',
  'unauthenticated',
  'token_expired',
  'token_revoked',
  'forbidden',
  'not_found',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'internal',
  'unavailable',
  'timeout',
  'insufficient_storage',
]

/** What it may answer with beside that; linters want one at least that says what the caller did wrong. */
function codesOf({ faults: own }: Endpoint): readonly FaultCode[] {
  return own.some((code) => faults[code].status < 500) ? own : ['validation_failed', ...own]
}

export function errorResponses(contract: Endpoint): Json {
  const statuses = new Set(codesOf(contract).map((code) => faults[code].status))
  const own = [...statuses].sort((a, b) => a - b).map((status) => [status, reference(names[status]!)])
  return { ...Object.fromEntries(own), default: reference('Error') }
}

const reference = (name: string) => ({ $ref: `#/components/responses/${name}` })
const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** One answer for each status, with all the codes that have it, and one for what may happen everywhere. */
export function sharedResponses(contracts: readonly Endpoint[]): Json {
  const byStatus = Map.groupBy(new Set(contracts.flatMap(codesOf)), (code) => faults[code].status)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  const own = sorted.map(([status, codes]) => [names[status]!, responseFor(codes, status)])
  return { ...Object.fromEntries(own), Error: responseFor(everywhere) }
}

function responseFor(codes: FaultCode[], status?: number): Json {
  const say = (code: FaultCode) => `\`${code}\` (${faults[code].status}): ${faults[code].title}`
  const schema = { $ref: '#/components/schemas/Problem' }
  return {
    description: codes.map(say).join('. '),
    headers: {
      'X-Request-Id': header('X-Request-Id'),
      RateLimit: header('RateLimit'),
      ...(status === undefined || status === 401 ? { 'WWW-Authenticate': header('WWW-Authenticate') } : {}),
      ...(status === undefined || status === 429 || status === 503 ? { 'Retry-After': header('Retry-After') } : {}),
    },
    content: { 'application/problem+json': { schema, example: exampleOf(codes[0]!) } },
  }
}

function exampleOf(code: FaultCode): Json {
  const { status, title, meaning } = faults[code]
  const errors = code === 'validation_failed' ? { errors: [{ pointer: '/name', detail: 'is required' }] } : {}
  const instance = '/api/permissions/v2/deployments/1/teams'
  const said = { type: `/docs/errors#${code}`, title, status, detail: meaning }
  return { ...said, instance, code, requestId: 'q0JtVm3xWcA-0002f', ...errors }
}
