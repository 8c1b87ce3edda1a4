import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Actor } from '../kernel/access/actor.ts'
import { answerIn } from '../kernel/contract/answer.ts'
import { sessionCookieOf, signInCookieOf } from '../kernel/contract/answer-cookies.ts'
import type { Api, Call, Download, EventStream, ReceivedFile } from '../kernel/contract/api.ts'
import type { Endpoint, UploadForm } from '../kernel/contract/endpoint.ts'
import { hasVersion, versionOf } from '../kernel/contract/etag.ts'
import { Fault, type FieldError } from '../kernel/contract/fault.ts'
import { validate } from '../kernel/contract/validate.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { compressJson } from './answers/compress-json.ts'
import { sendDownload } from './answers/download.ts'
import { sendEvents } from './answers/event-stream.ts'
import { isLarge, writeLarge } from './answers/large-answer.ts'
import { requireRecentPassword } from './console/reauthentication.ts'
import { actorIn, checkKind, onlyDeployment } from './requests/authorize.ts'
import type { Credentials } from './requests/credentials.ts'
import { acceptForms } from './requests/form-body.ts'
import { acceptJson } from './requests/json-body.ts'
import { originOf } from './requests/origin.ts'
import type { createRateLimit } from './requests/rate-limit.ts'
import { invalid, readPath, readQuery, refuseUnread } from './requests/read-parameters.ts'
import { acceptStreams, type Receiver, uploadSeconds } from './uploads/upload.ts'

export type ApiOptions = {
  credentials: Credentials
  clock: Clock
  limit: ReturnType<typeof createRateLimit>
  receiver: Receiver
  /** As the operator says; undefined: as each client reaches us. */
  publicUrl?: string | undefined
  /** After which a read that has not been answered is given up; 30 unless told otherwise. */
  readSeconds?: number
  /** Hold every answer against its contract; for tests. */
  checkResponses: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call<Endpoint> | undefined
  }
}

/** Binds contracts to handlers: authentication, authorisation, validation, then the use case, in this order. */
export function createApi(app: FastifyInstance, contracts: Endpoint[], options: ApiOptions): Api {
  const { readSeconds = 30 } = options
  app.decorateRequest('call', undefined)
  // How bodies are read is a matter of the scope: routes that read them alike share one.
  const forStreams = scopeOf(app, acceptStreams)
  const forForms = scopeOf(app, acceptForms)
  const forSigned = scopeOf(app, (scope) =>
    acceptJson(scope, undefined, (request, bytes) => {
      request.call!.signed = { bytes, headers: request.headers }
    }),
  )
  // Some clients of other products send JSON without saying so. No cookie counts there, so no page of another site gains by it.
  const forProtocols = scopeOf(app, (scope) => acceptJson(scope, '*'))

  return {
    serve(contract, handler) {
      const plain = contract as unknown as Endpoint
      contracts.push(plain)
      if (plain.protocol) app.protocols.add(plain.protocol)
      const answer = async (request: FastifyRequest, reply: FastifyReply) => {
        if (plain.reauthentication) {
          await requireRecentPassword(plain, request.call!, options.clock.now(), () => {
            options.credentials.forget(request)
            return options.credentials.identify(request, plain.beforeSecondFactor)
          })
        }
        const returned = await handler(request.call as never)
        const given = answerIn(returned)
        const result = given ? given.body : returned
        if (given) reply.code(given.status).headers(given.headers ?? {})
        if (given && result === undefined) return reply.send()
        // Outside of any deployment, what callers change is themselves.
        if (contract.permission === 'authenticated' && contract.method !== 'GET' && !contract.protocol)
          options.credentials.forget(request)
        const cookie = sessionCookieOf(result)
        if (cookie !== undefined) reply.header('set-cookie', options.credentials.cookie.write(cookie))
        const flow = signInCookieOf(result)
        if (flow !== undefined) reply.header('set-cookie', options.credentials.signInCookie.write(flow))
        if (contract.events) return sendEvents(request, reply, result as EventStream)
        if (contract.download) return sendDownload(reply, result as Download)
        const version = versionOf(result)
        if (options.checkResponses) checkResponse(plain, result, version)
        if (version !== undefined) reply.header('etag', `"${version}"`)
        if (!isLarge(plain.response, result)) return result as never
        return reply.type(jsonType).send(await writeLarge(plain.response, result, reply)) as never
      }
      const route = {
        method: contract.method,
        url: contract.path,
        schema: contract.download ? {} : ({ response: { '2xx': contract.response } } as object),
        onRequest: (request: FastifyRequest, reply: FastifyReply) => identify(plain, request, reply, options),
        ...(contract.answersSecret ? {} : { onSend: compressJson }),
        // What is made for whoever fetches it, some of it once and all of it on record: a HEAD would make it for nobody.
        ...(contract.download && !contract.events ? { exposeHeadRoute: false } : {}),
      }
      if (contract.upload) {
        forStreams({
          ...route,
          config: { seconds: uploadSeconds, protocol: contract.protocol },
          handler: (request, reply) =>
            withUpload(plain, contract.upload!, request, options.receiver, () => answer(request, reply)),
        })
        return
      }
      const plainRoute = {
        ...route,
        config: { ...timeLimitOf(plain, readSeconds), protocol: contract.protocol },
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          readBody(plain, request, request.call!)
          return answer(request, reply)
        },
      }
      if (contract.takesForm) forForms(plainRoute)
      else if (contract.signed) forSigned(plainRoute)
      else if (contract.protocol) forProtocols(plainRoute)
      else app.route(plainRoute)
    },
  }
}

/** A scope of its own, with the routes that it was given by the time the server starts; later ones are refused. */
function scopeOf(app: FastifyInstance, prepare: (scope: FastifyInstance) => void): (route: RouteOptions) => void {
  const routes: RouteOptions[] = []
  app.register(async (scope) => {
    prepare(scope)
    for (const route of Object.freeze(routes)) scope.route(route)
  })
  return (route) => void routes.push(route)
}

const jsonType = 'application/json; charset=utf-8'

function timeLimitOf({ method, seconds }: Endpoint, readSeconds: number): { seconds?: number } {
  if (seconds !== undefined) return { seconds }
  return method === 'GET' ? { seconds: readSeconds } : {}
}

/** Of a request that says it has no body. */
async function* nothing(): AsyncGenerator<Buffer> {}

/** Receives the upload, then lets `work` answer; from then on the files are part of the call. */
function withUpload<T>(
  contract: Endpoint,
  form: UploadForm,
  request: FastifyRequest,
  receiver: Receiver,
  work: () => Promise<T>,
): Promise<T> {
  const chunks = (request.body ?? nothing()) as AsyncIterable<Buffer>
  const takeBody = (body: unknown) => {
    request.body = body
    readBody(contract, request, request.call!)
  }
  const of = String(request.call!.actor?.deploymentId ?? request.ip)
  return receiver.receive({ of, headers: request.headers, chunks }, form, takeBody, (files) => {
    request.call!.files = files
    // What the upload is recognised by when it is repeated.
    request.body = [request.call!.body, ...files.map((file) => [file.name, file.digest.toString('hex')])]
    return work()
  })
}

async function identify(
  contract: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ApiOptions,
): Promise<void> {
  const call = {
    address: request.ip,
    // Looked at by few, and not every Host header makes one.
    get origin() {
      return originOf(request, options.publicUrl)
    },
    requestId: request.id,
    files: [] as ReceivedFile[],
  } as Call<Endpoint>
  call.authorization = request.headers.authorization
  call.route = contract.path
  call.signInCookie = options.credentials.signInCookie.read(request.headers.cookie)
  call.lastEventId = [request.headers['last-event-id']].flat()[0]
  request.call = call
  if (contract.deprecated) announceDeprecation(contract.deprecated, request, reply)
  if (contract.security === 'none') {
    options.limit.enforce(`address ${request.ip}`, reply)
    if (contract.opensSession) call.cookie = options.credentials.replacedCookie(request)
  } else {
    call.caller = contract.protocol
      ? await options.credentials.identifyToken(contract.protocol.tokenIn(request.headers))
      : await options.credentials.identify(request, contract.beforeSecondFactor)
    options.limit.enforce(
      call.caller.tokenId ? `token ${call.caller.tokenId}` : `person ${call.caller.personId}`,
      reply,
    )
    checkKind(contract, call.caller)
  }
  const errors: FieldError[] = []
  const unread = readPath(contract, request, call, errors)
  readQuery(contract, request, call, errors)
  const { deploymentId } = call.params as { deploymentId?: number }
  // Whoever may not ask learns nothing of how to ask rightly.
  if (contract.protocol && call.caller) call.actor = bind(contract, call, onlyDeployment(call.caller), request)
  else if (deploymentId !== undefined) call.actor = bind(contract, call, deploymentId, request)
  refuseUnread(contract, request, call, unread, errors)
}

function announceDeprecation(
  deprecated: NonNullable<Endpoint['deprecated']>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // A Link header holds a reference that can be followed, so the successor's path is filled in as this one was.
  const given = request.params as Record<string, string>
  const successor = deprecated.successor.replace(/:([A-Za-z]+)/g, (_, name) => encodeURIComponent(given[name] ?? ''))
  reply.header('deprecation', `@${Date.parse(deprecated.since) / 1000}`)
  reply.header('sunset', new Date(deprecated.sunset).toUTCString())
  reply.header('link', `<${successor}>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"`)
}

function readBody(contract: Endpoint, request: FastifyRequest, call: Call<Endpoint>): void {
  if (!contract.body) {
    if (request.body !== undefined && request.body !== null && !contract.protocol)
      throw new Fault('malformed_request', 'This endpoint takes no body.')
    return
  }
  if (request.body === undefined) throw new Fault('malformed_request', 'A JSON body is required.')
  const errors: FieldError[] = []
  call.body = validate(contract.body, request.body, '', errors) as never
  if (errors.length > 0) throw invalid(errors)
  const body = call.body as Record<string, unknown>
  if (contract.deploymentIn === 'body') call.actor = bind(contract, call, Number(body.deploymentId), request)
  checkIds(body, call.params as Record<string, unknown>)
}

/** An id that stands in the path and in the body must be one and the same. */
function checkIds(body: Record<string, unknown>, params: Record<string, unknown>): void {
  if (typeof body !== 'object' || body === null) return
  const differing = Object.entries(params).filter(
    ([name, value]) => Object.hasOwn(body, name) && String(body[name]) !== String(value),
  )
  if (differing.length === 0) return
  const said = differing.map(([name, value]) => `'${name}' is ${value} in the path and ${body[name]} in the body.`)
  const errors = differing.map(([name, value]) => ({ pointer: `/${name}`, detail: `must be ${value}` }))
  throw new Fault('id_mismatch', said.join(' '), { errors })
}

function bind(contract: Endpoint, call: Call<Endpoint>, deploymentId: number, request: FastifyRequest): Actor {
  const actor = actorIn(contract, call.caller, deploymentId, call.requestId)
  const { 'if-match': ifMatch, 'idempotency-key': key } = request.headers
  if (ifMatch !== undefined) actor.ifMatch = ifMatch
  if (onlyReads(contract)) actor.replica = {}
  if (key !== undefined && contract.method !== 'GET') {
    const text = Array.isArray(key) ? key.join() : key
    if (!/^[\x21-\x7e]{1,255}$/.test(text)) {
      throw new Fault(
        'malformed_request',
        'An Idempotency-Key must have 1 to 255 printable ASCII characters and no spaces.',
      )
    }
    // The body is not parsed yet when the path is authorised, so the fingerprint is taken when it is first needed.
    actor.idempotencyKey = {
      key: text,
      transactions: 0,
      get fingerprint() {
        return fingerprint(request)
      },
    }
  }
  return actor
}

/** Lists, searches, reports. A stream of events goes on, and what it tells is new. */
function onlyReads({ permission, events }: Endpoint): boolean {
  return permission.endsWith(':read') && !events
}

function fingerprint(request: FastifyRequest): string {
  const parts = [request.method, request.url, JSON.stringify(request.body ?? null)]
  return createHash('sha256').update(parts.join('\n')).digest('base64url')
}

function checkResponse(contract: Endpoint, result: unknown, version: number | undefined): void {
  if (hasVersion(contract.response) !== (version !== undefined))
    throw new Error(
      `${contract.id} answered ${version === undefined ? 'without' : 'with'} a version, against its contract`,
    )
  const errors: FieldError[] = []
  validate(contract.response, JSON.parse(JSON.stringify(result)), '', errors)
  if (errors.length > 0) throw new Error(`${contract.id} answered against its contract: ${JSON.stringify(errors)}`)
}
