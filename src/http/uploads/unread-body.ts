import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What is passed over so that the connection can be kept: less than opening another one costs. */
const passedOverBytes = 256 * 1024
const passedOverMs = 500
/** A client that is still sending when the connection is closed may never see its answer, so it is listened to for a while. */
const lingerMs = 2_000

/**
 * A request that is answered before all of its body was read: the rest still comes, and the next request on the connection stands
 * behind it. A little is passed over; otherwise the client is told that the connection ends, and it does.
 */
export function handleUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isArriving(request)) return done(null, payload)
    void passOver(request.raw).then((isOver) => {
      if (!isOver) {
        reply.header('connection', 'close')
        linger(request.raw, reply.raw.socket)
      }
      done(null, payload)
    })
  })
}

function isArriving({ raw }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = raw.headers
  return !raw.complete && (coding !== undefined || Number(length) > 0)
}

/** Whether the rest is over within the bounds. */
function passOver(request: IncomingMessage): Promise<boolean> {
  if (Number(request.headers['content-length']) > passedOverBytes || request.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > passedOverBytes) settle()
    }
    const settle = () => {
      clearTimeout(timer)
      request.off('data', count)
      request.off('end', settle)
      request.off('close', settle)
      resolve(request.complete)
    }
    const timer = setTimeout(settle, passedOverMs)
    request.on('data', count)
    request.once('end', settle)
    request.once('close', settle)
    request.resume()
  })
}

/** Says that nothing more will be said, and hears the client out for a moment: closing at once would take the answer back. */
function linger(request: IncomingMessage, socket: Socket | null): void {
  if (!socket) return
  request.resume()
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}
