import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Fault, faults } from '../kernel/contract/fault.ts'
import { createTracer, type Tracer } from '../kernel/tracing/tracer.ts'
import { faultOf, problemOf, sendFault } from './answers/problem.ts'
import { knowProtocols } from './answers/protocol-refusal.ts'
import { logRequests } from './requests/access-log.ts'
import { acceptJson } from './requests/json-body.ts'
import { limitTime } from './requests/time-limit.ts'
import { traceRequests } from './requests/trace-requests.ts'
import { answerUnknownPaths } from './unknown-paths.ts'
import { handleUnreadBodies } from './uploads/unread-body.ts'
import { uploadSeconds } from './uploads/upload.ts'

export type ServerOptions = {
  log: Logger
  /** Addresses of reverse proxies whose X-Forwarded-For is believed; none by default. */
  trustProxy: string[]
  https: boolean
  /** After which a request that has not been answered is given up. */
  requestSeconds?: number
  tracer?: Tracer
}

const jsonLimit = 1024 * 1024
const defaultRequestSeconds = 30
const headersSeconds = 60
// Unique across processes by the first part, within one by the second; random bytes for each would cost a system call.
const processPart = randomBytes(8).toString('base64url')
let requests = 0
const newRequestId = () => `${processPart}-${(requests++).toString(36).padStart(5, '0')}`

const requestIdPattern = /^[A-Za-z0-9._-]{8,64}$/

/** A web server that speaks problem+json whatever happens, and knows nothing of what it serves. */
export function createServer(options: ServerOptions): FastifyInstance {
  const requestSeconds = options.requestSeconds ?? defaultRequestSeconds
  const headers = headersFor(options.https)
  const setHeaders = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(headers).header('x-request-id', request.id)
  const app = fastify({
    bodyLimit: jsonLimit,
    http: { headersTimeout: headersSeconds * 1000 },
    // For the largest upload; everything else is over by the time-outs of its route.
    requestTimeout: Math.max(requestSeconds, uploadSeconds) * 1000,
    keepAliveTimeout: 65_000,
    return503OnClosing: false,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    routerOptions: { maxParamLength: 500 },
    schemaController: { compilersFactory: { buildSerializer: serializeLazily } },
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && requestIdPattern.test(given) ? given : newRequestId()
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => void sendFault(request, setHeaders(request, reply), faultOf(error)),
  })
  knowProtocols(app)
  app.decorateRequest('faultCode', undefined)
  traceRequests(app, options.tracer ?? createTracer())
  limitTime(app, requestSeconds)
  acceptJson(app)
  handleUnreadBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    done()
  })
  logRequests(app, options.log)
  app.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error)
    if (fault.code === 'request_timeout') reply.header('connection', 'close')
    if (faults[fault.code].status >= 500) {
      options.log.error(
        { requestId: request.id, route: request.routeOptions.url, code: fault.code, err: fault.cause },
        fault.message,
      )
    }
    return sendFault(request, reply, fault)
  })
  answerUnknownPaths(app)
  return app
}

const buildSerializer = SerializerSelector()
type Serialize = ReturnType<ReturnType<typeof buildSerializer>>
/** By the schema of a contract, which every server in the process serves alike. */
const serializers = new WeakMap<object, Serialize>()

/** Made when an endpoint is first asked: for all of them at once it takes longer than the rest of the start. */
function serializeLazily(...given: Parameters<typeof buildSerializer>): ReturnType<typeof buildSerializer> {
  const compile = buildSerializer(...given)
  return (route) => {
    const schema = route.schema as object
    let serialize: Serialize | undefined
    return (answer) => {
      if (!serialize) {
        serialize = serializers.get(schema) ?? compile(route)
        serializers.set(schema, serialize)
      }
      return serialize(answer)
    }
  }
}

/** On every answer, also on those that the framework gives before any route is found. */
function headersFor(https: boolean): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
}

const tooLate = `The headers of a request must arrive within ${headersSeconds} seconds, and all of it within ${uploadSeconds / 60} minutes.`

/** What Node could not even parse as HTTP still gets a problem document. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fault =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new Fault('request_timeout', tooLate)
      : new Fault(
          'malformed_request',
          error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large.' : 'This is not valid HTTP.',
        )
  const requestId = newRequestId()
  const body = JSON.stringify(problemOf(fault, '', requestId))
  const { status } = faults[fault.code]
  socket.end(
    `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Bad Request'}\r\ncontent-type: application/problem+json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  )
}
