import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Authenticator } from '../../kernel/access/identity.ts'
import type { RegistryAdapter, RegistryResponse } from '../../kernel/contract/adapters/registry-adapter.ts'
import { Fault, faults } from '../../kernel/contract/fault.ts'
import { faultOf, problemOf } from '../answers/problem.ts'
import { actorIn, checkKind } from '../requests/authorize.ts'
import { originOf } from '../requests/origin.ts'
import { acceptStreams } from '../uploads/upload.ts'
import type { RegistryLimits } from './registry-limits.ts'

export type RegistryMountOptions = {
  authenticate: Authenticator
  /** Where clients find us, if the operator said so; otherwise where they found us this time. */
  publicUrl: string | undefined
  limits: RegistryLimits
  log: Logger
}

const access = { security: 'token', permission: 'packages:read' } as const
const bothSchemes = 'Basic realm="gatehouse", charset="UTF-8", Bearer realm="gatehouse"'
const reassureMs = 5_000

/** Serves everything below the paths of adapters. Who asks is known before an adapter learns of the request. */
export function createRegistryMount(
  app: FastifyInstance,
  options: RegistryMountOptions,
): (adapter: RegistryAdapter) => void {
  return (adapter) => mountRegistry(app, adapter, options)
}

function mountRegistry(app: FastifyInstance, adapter: RegistryAdapter, options: RegistryMountOptions): void {
  const prefixParts = adapter.path.split('/').length
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const actor = await identify(request, reply, options)
    const [whole, query] = split(request.raw.url ?? '', '?')
    const path = whole.split('/').slice(prefixParts).join('/')
    const answer = await adapter.answer({
      method: request.method,
      path,
      query,
      headers: request.headers,
      body: (request.body ?? []) as AsyncIterable<Buffer>,
      actor,
      client: { agent: request.headers['user-agent'] ?? '', address: request.ip },
      base: baseOf(request, adapter, options.publicUrl),
      reassure: () => reassure(reply),
    })
    return send(request, reply, answer)
  }
  const errorHandler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
    sendRefusal(request, reply, faultOf(error), { log: options.log, plain: adapter.plainRefusals })
  const url = `${adapter.path}/*`
  app.register(async (scope) => {
    acceptStreams(scope)
    scope.route({ method: ['GET', 'HEAD'], url, exposeHeadRoute: false, errorHandler, handler })
    scope.route({ method: ['POST', 'PUT', 'DELETE'], url, errorHandler, handler })
  })
}

async function identify(request: FastifyRequest, reply: FastifyReply, { authenticate, limits }: RegistryMountOptions) {
  const secret = secretOf(request.headers.authorization)
  const caller = await authenticate(secret).catch((error) => {
    limits.enforceStranger(request.ip, reply)
    throw error
  })
  checkKind(access, caller)
  const { deploymentId } = request.params as { deploymentId: string }
  const id = /^[1-9][0-9]{0,14}$/.test(deploymentId) ? Number(deploymentId) : 0
  const actor = actorIn(access, caller, id, request.id)
  limits.enforce(id, caller.tokenId, reply)
  // For the access log, which reads who asked from here.
  request.call = { caller, actor, route: request.routeOptions.url } as typeof request.call
  return actor
}

const form = /^(?:(Bearer|Basic) +)?([A-Za-z0-9._~+/=-]{1,8192})$/i

/** RFC 6750 §2.1, or RFC 7617 with the token as password: pip, Maven and old npm know no other way. Cargo sends the token alone. */
export function secretOf(header: string | undefined): string {
  if (header === undefined) throw new Fault('unauthenticated', 'Sign in with an API token of Gatehouse.')
  const [, scheme, value] = form.exec(header) ?? []
  if (!value) throw notAToken()
  if (scheme?.toLowerCase() !== 'basic') return value
  const [user = '', password = ''] = split(Buffer.from(value, 'base64').toString('utf8'), ':')
  const secret = password || user
  if (!/^[A-Za-z0-9._~+/=-]{1,4096}$/.test(secret)) throw notAToken()
  return secret
}

function notAToken(): Fault {
  return new Fault('unauthenticated', 'The Authorization header has no API token of Gatehouse.', { cause: 'form' })
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}

function baseOf(request: FastifyRequest, adapter: RegistryAdapter, publicUrl: string | undefined): string {
  const { deploymentId } = request.params as { deploymentId: string }
  const path = adapter.path.replace(':deploymentId', deploymentId)
  return originOf(request, publicUrl) + path
}

/** RFC 9110 §15.2.1: a client passes over it, but it is a sign of life, and clients give up on a silent line. */
function reassure(reply: FastifyReply): void {
  const { raw } = reply
  const timer = setInterval(() => {
    if (raw.headersSent || raw.destroyed) clearInterval(timer)
    else raw.writeContinue()
  }, reassureMs)
  raw.once('close', () => clearInterval(timer))
  raw.once('finish', () => clearInterval(timer))
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: RegistryResponse): FastifyReply {
  reply.code(status).headers(headers)
  if (request.method !== 'HEAD' && status !== 304) return reply.send(body)
  if (body instanceof Readable) body.destroy()
  else if (status !== 304) reply.header('content-length', String(Buffer.byteLength(body)))
  return reply.send()
}

/**
 * The problem document of every endpoint, with its sentence once more where the clients of registries look for it: as
 * `error`, which npm prints, and as the reason of the status line, which is all that pip, pnpm and Maven print. `plain`: the sentences
 * alone, a line each, for clients that print what they get; the go command prints eight lines, and nothing of one that is too long.
 */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  fault: Fault,
  {
    log,
    instance,
    challenge = bothSchemes,
    plain = false,
  }: { log: Logger; instance?: string; challenge?: string; plain?: boolean | undefined },
): FastifyReply {
  const { status } = faults[fault.code]
  request.faultCode = fault.code
  if (status >= 500) log.warn({ requestId: request.id, code: fault.code, err: fault.cause }, fault.message)
  if (status === 401) reply.header('www-authenticate', challenge)
  if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', String(fault.retryAfterSeconds))
  if (fault.allow.length > 0) reply.header('allow', fault.allow.join(', '))
  if (plain) {
    const lines = fault.message.replaceAll(/([.:]) /g, '$1\n')
    return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(lines)
  }
  reply.raw.statusMessage = fault.message.replace(/[^\x20-\x7e]+/g, '?').slice(0, 1_000)
  const path = instance ?? (request.raw.url ?? '').split('?')[0]!.slice(0, 300)
  return reply
    .code(status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ ...problemOf(fault, path, request.id), error: fault.message })
}
