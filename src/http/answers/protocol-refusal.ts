import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from '../../kernel/contract/fault.ts'
import type { Protocol } from '../../kernel/contract/protocol.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    protocol?: Protocol | undefined
  }
  interface FastifyInstance {
    /** All that endpoints are served of. */
    protocols: Set<Protocol>
  }
}

export function knowProtocols(app: FastifyInstance): void {
  app.decorate('protocols', new Set<Protocol>())
}

/** Whose words a request is to be refused in: those of its route, or of the protocol that paths like this belong to. */
export function protocolOf(request: FastifyRequest): Protocol | undefined {
  const own = request.routeOptions?.config?.protocol
  if (own) return own
  for (const protocol of request.server.protocols) {
    if (protocol.below.some((beginning) => request.url.startsWith(beginning))) return protocol
  }
  return undefined
}

export function sendRefusal(reply: FastifyReply, protocol: Protocol, fault: Fault, usual: number): FastifyReply {
  const { status = usual, headers = {}, body, mediaType = 'application/json' } = protocol.refusal(fault, usual)
  return reply
    .code(status)
    .headers(headers)
    .header('content-type', `${mediaType}; charset=utf-8`)
    .serializer(JSON.stringify)
    .send(body)
}
