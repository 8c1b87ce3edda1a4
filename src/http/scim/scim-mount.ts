import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Authenticator } from '../../kernel/access/identity.ts'
import type { ScimAdapter } from '../../kernel/contract/adapters/scim-adapter.ts'
import { Fault, faults } from '../../kernel/contract/fault.ts'
import { faultOf } from '../answers/problem.ts'
import { actorIn, bearerOf, checkKind } from '../requests/authorize.ts'
import { parseJson } from '../requests/json-body.ts'
import { originOf } from '../requests/origin.ts'
import type { createRateLimit } from '../requests/rate-limit.ts'

export type ScimMountOptions = {
  authenticate: Authenticator
  adapter: ScimAdapter
  publicUrl: string | undefined
  limit: ReturnType<typeof createRateLimit>
  log: Logger
}

const prefix = '/scim/v2'
const access = { security: 'token', permission: 'provisioning:sync' } as const
const mediaType = 'application/scim+json; charset=utf-8'

/** Serves everything below `/scim/v2` in the words of RFC 7644, refusals too. The token says which deployment is meant. */
export function mountScim(app: FastifyInstance, options: ScimMountOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const read = (
      _request: FastifyRequest,
      body: string | Buffer,
      done: (error: Error | null, value?: unknown) => void,
    ) => {
      try {
        done(null, body.length === 0 ? undefined : parseJson(body as Buffer))
      } catch (error) {
        done(error as Error)
      }
    }
    scope.addContentTypeParser(/^application\/(scim\+)?json\s*(;|$)/i, { parseAs: 'buffer' }, read)
    const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      refuse(request, reply, faultOf(error), options)
    for (const url of [prefix, `${prefix}/*`]) {
      scope.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url,
        exposeHeadRoute: false,
        errorHandler,
        // Before the body is read: who may not ask has nothing parsed.
        onRequest: (request, reply) => identify(request, reply, options),
        handler: (request, reply) => answer(request, reply, options),
      })
    }
  })
}

async function identify(request: FastifyRequest, reply: FastifyReply, options: ScimMountOptions): Promise<void> {
  const caller = await options.authenticate(bearerOf(request.headers.authorization))
  options.limit.enforce(`token ${caller.tokenId}`, reply)
  checkKind(access, caller)
  // A token reaches one deployment, so there is nothing to choose and nothing to name.
  const [deploymentId = 0] = caller.roles.keys()
  const actor = actorIn(access, caller, deploymentId, request.id)
  request.call = { caller, actor, route: request.routeOptions.url } as typeof request.call
}

async function answer(request: FastifyRequest, reply: FastifyReply, options: ScimMountOptions): Promise<FastifyReply> {
  const actor = request.call!.actor
  const { path, query } = addressOf(request)
  const {
    status,
    headers = {},
    body,
  } = await options.adapter.answer({
    method: request.method,
    path,
    query,
    body: request.body,
    actor,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
    base: originOf(request, options.publicUrl) + prefix,
  })
  await note(request, actor, status, '', options)
  reply.code(status).headers(headers)
  if (body === undefined) return reply.send()
  return reply.header('content-type', mediaType).serializer(JSON.stringify).send(body)
}

function addressOf(request: FastifyRequest): { path: string[]; query: URLSearchParams } {
  const url = request.raw.url ?? ''
  const at = url.indexOf('?')
  const whole = at < 0 ? url : url.slice(0, at)
  try {
    const path = whole.slice(prefix.length).split('/').filter(Boolean).map(decodeURIComponent)
    return { path, query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)) }
  } catch {
    throw new Fault('malformed_request', 'The address is not valid.')
  }
}

/** What is told to people must not keep the directory from its answer. */
async function note(
  request: FastifyRequest,
  actor: Actor,
  status: number,
  detail: string,
  { adapter, log }: ScimMountOptions,
): Promise<void> {
  const path = (request.raw.url ?? '').split('?')[0]!.slice(prefix.length, 300)
  await adapter
    .note(actor, { method: request.method, path, status, detail })
    .catch((error) => log.warn({ err: error, requestId: request.id }, 'a provisioning request was not recorded'))
}

/** RFC 7644 §3.12. */
async function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  fault: Fault,
  options: ScimMountOptions,
): Promise<FastifyReply> {
  const { status } = faults[fault.code]
  if (status >= 500) options.log.error({ requestId: request.id, code: fault.code, err: fault.cause }, fault.message)
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="gatehouse"')
  if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', String(fault.retryAfterSeconds))
  if (fault.allow.length > 0) reply.header('allow', fault.allow.join(', '))
  if (request.call?.actor) await note(request, request.call.actor, status, fault.message, options)
  const scimType = 'scimType' in fault ? { scimType: fault.scimType } : {}
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
  return reply
    .code(status)
    .header('content-type', mediaType)
    .serializer(JSON.stringify)
    .send({ schemas, status: String(status), ...scimType, detail: fault.message })
}
