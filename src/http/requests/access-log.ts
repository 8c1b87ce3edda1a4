import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'

type Inside = { [key: symbol]: unknown }

/**
 * One line a request. No header, query, body or unknown path goes into it: any of them may hold a secret.
 *
 * The line is written out here: all but the address are numbers or have only harmless characters, and going over all fields
 * of an object again for each request, as a logger must, costs more than anything else that a small read does.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  const { [pino.symbols.streamSym]: stream, [pino.symbols.timeSym]: time } = log as unknown as Inside
  const { write } = stream as { write(line: string): void }
  const now = time as () => string
  // Node keeps the address once it was asked for. Of a client that has gone since, it could not be had any more.
  app.server.on('connection', (socket) => void socket.remoteAddress)
  app.addHook('onResponse', (request, reply, done) => {
    if (log.isLevelEnabled('info')) {
      const { call, method, id, ip, span } = request
      const ms = Math.round(reply.elapsedTime * 10) / 10
      const who = call?.caller ? `,"person":${call.caller.personId},"token":${call.caller.tokenId}` : ''
      const where = call?.actor ? `,"deployment":${call.actor.deploymentId}` : ''
      const trace = span ? `,"traceId":"${span.trace.traceId}"` : ''
      const route = call?.route ?? request.routeOptions.url ?? '-'
      const what = `"requestId":"${id}","method":"${method}","route":"${route}"`
      const result = `"status":${reply.statusCode},"ms":${ms},"address":${JSON.stringify(ip ?? null)}`
      write.call(stream, `{"level":30${now()},${what},${result}${where}${who}${trace},"msg":"request"}\n`)
    }
    done()
  })
}
