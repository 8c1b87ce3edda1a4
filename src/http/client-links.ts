import type { FastifyInstance } from 'fastify'
import type { ClientLink, RefusedRoute } from '../kernel/contract/client-links.ts'
import { Fault } from '../kernel/contract/fault.ts'
import type { Protocol } from '../kernel/contract/protocol.ts'

/** Addresses that clients of another product show or ask for, and that are no operations: nobody is known there. */
export function serveClientLinks(
  app: FastifyInstance,
  protocol: Protocol,
  links: readonly ClientLink[],
  refused: readonly RefusedRoute[],
): void {
  for (const { path, page } of links) {
    app.get(path, async (request, reply) => {
      const { organisation } = request.params as { organisation: string }
      const query = new URLSearchParams(request.url.split('?')[1] ?? '')
      const known = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(organisation)
      return reply.redirect(known ? `/d/${organisation}/${page(query)}` : '/')
    })
  }
  for (const { method, path, message } of refused) {
    app.route({
      method,
      url: path,
      config: { protocol },
      handler: async () => {
        throw new Fault('forbidden', message)
      },
    })
  }
}
