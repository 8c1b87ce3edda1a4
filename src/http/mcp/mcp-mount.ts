import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Authenticator } from '../../kernel/access/identity.ts'
import type { McpAdapter } from '../../kernel/contract/adapters/mcp-adapter.ts'
import { Fault, faults } from '../../kernel/contract/fault.ts'
import { faultOf } from '../answers/problem.ts'
import { actorIn, bearerOf, checkKind, onlyDeployment } from '../requests/authorize.ts'
import { originOf } from '../requests/origin.ts'
import type { createRateLimit } from '../requests/rate-limit.ts'

export type McpMountOptions = {
  authenticate: Authenticator
  adapter: McpAdapter
  publicUrl: string | undefined
  limit: ReturnType<typeof createRateLimit>
  log: Logger
}

// What a caller may do is decided tool by tool.
const access = { security: 'both', permission: 'authenticated' } as const
const invalidRequest = -32_600
const internalError = -32_603

/** Serves the Model Context Protocol at `/mcp` (Streamable HTTP). The token says which deployment is meant; cookies do not count. */
export function mountMcp(app: FastifyInstance, options: McpMountOptions): void {
  app.route({
    method: 'POST',
    url: '/mcp',
    errorHandler: (error, request, reply) => refuse(request, reply, faultOf(error), options),
    // Before the body is read: who may not ask has nothing parsed.
    onRequest: (request, reply) => identify(request, reply, options),
    handler: async (request, reply) => {
      const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = request.headers
      const headers = { version: one(version), method: one(method), name: one(name) }
      const { status, body } = await options.adapter.answer({ actor: request.call!.actor, body: request.body, headers })
      return send(reply.code(status), body)
    },
  })
}

async function identify(request: FastifyRequest, reply: FastifyReply, options: McpMountOptions): Promise<void> {
  requireOwnOrigin(request, options.publicUrl)
  const caller = await options.authenticate(bearerOf(request.headers.authorization), false, 'mcp')
  options.limit.enforce(caller.tokenId ? `token ${caller.tokenId}` : `person ${caller.personId}`, reply)
  checkKind(access, caller)
  const actor = actorIn(access, caller, onlyDeployment(caller), request.id)
  request.call = { caller, actor, route: request.routeOptions.url } as typeof request.call
}

/**
 * Programs send no Origin; a browser does, and only our own pages may ask. An own name that nobody has told us could be a name
 * that was made to point here (DNS rebinding), an address cannot.
 */
function requireOwnOrigin({ headers, protocol, host, hostname }: FastifyRequest, publicUrl: string | undefined): void {
  if (headers.origin === undefined) return
  const isAddress = hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  const own = publicUrl ? new URL(publicUrl).origin : isAddress ? `${protocol}://${host}` : undefined
  if (headers.origin !== own) throw new Fault('cross_site', 'This request comes from a page of another site.')
}

/** As JSON-RPC says it, with the status that HTTP has for it. */
function refuse(request: FastifyRequest, reply: FastifyReply, fault: Fault, options: McpMountOptions): FastifyReply {
  const { log } = options
  const { status } = faults[fault.code]
  if (status >= 500) log.error({ requestId: request.id, code: fault.code, err: fault.cause }, fault.message)
  if (status === 401) reply.header('www-authenticate', challengeOf(request, fault, options))
  if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', String(fault.retryAfterSeconds))
  const code = status >= 500 ? internalError : invalidRequest
  const data = { code: fault.code, requestId: request.id }
  return send(reply.code(status), { jsonrpc: '2.0', error: { code, message: fault.message, data } })
}

/** RFC 9728 §5.1: by this a client finds out where to get a token. */
function challengeOf(request: FastifyRequest, fault: Fault, { publicUrl, adapter }: McpMountOptions): string {
  const metadata = `${originOf(request, publicUrl)}/.well-known/oauth-protected-resource/mcp`
  const sent = request.headers.authorization !== undefined
  const error = sent ? `, error="invalid_token", error_description="${fault.message.replaceAll(/["\\]/g, "'")}"` : ''
  return `Bearer realm="gatehouse", resource_metadata="${metadata}", scope="${adapter.scopes.join(' ')}"${error}`
}

function send(reply: FastifyReply, body: object | undefined): FastifyReply {
  if (body === undefined) return reply.send()
  return reply.header('content-type', 'application/json').serializer(JSON.stringify).send(body)
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header
}
