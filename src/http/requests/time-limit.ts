import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../kernel/contract/fault.ts'
import { tooSlow } from '../answers/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** After which a request to this route that has not been answered is given up. */
    seconds?: number
  }
}

/**
 * Gives up what has not been answered in time, the arrival of the body included. Reads have no limit unless their route says
 * so: some go on for as long as a file is large. The framework's own limit ends with the arrival of the body.
 */
export function limitTime(app: FastifyInstance, seconds: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const limit = request.routeOptions.config.seconds ?? (isRead(request.method) ? undefined : seconds)
    if (limit !== undefined) {
      const timer = setTimeout(giveUp, limit * 1000, request, reply)
      // Also where the connection breaks off, which ends a request without an answer.
      reply.raw.once('close', () => clearTimeout(timer))
    }
    done()
  })
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function giveUp(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return
  // Time that ran out while the body was still arriving is the sender's, not ours.
  const late = request.raw.complete === false
  reply.send(late ? new Fault('request_timeout', 'The body did not arrive in time.') : tooSlow())
}
