import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventStream } from '../../kernel/contract/api.ts'

/** Who does not take the end within this is cut off. */
const farewellMs = 2_000

/**
 * Server-sent events (HTML, section 9.2). Nothing is kept here for a client that does not read: the stream is asked for its
 * next text only when the last one has gone.
 */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, stream: EventStream): FastifyReply {
  reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
  // A HEAD has no body that anybody would end.
  if (request.method === 'HEAD') {
    stream.detach()
    return reply.send('')
  }
  let wanted = false
  const body = new Readable({
    highWaterMark: 0,
    read() {
      wanted = true
      give()
    },
    destroy(error, done) {
      stream.detach()
      done(error)
    },
  })
  function give(): void {
    if (!wanted || body.destroyed) return
    const text = stream.take()
    if (text === '') return
    wanted = false
    body.push(text)
  }
  function end(): void {
    body.push(null)
    setTimeout(() => {
      body.destroy()
      reply.raw.destroy()
    }, farewellMs).unref()
  }
  stream.attach(give, end)
  // The next request of this connection would have to wait for the stream anyway.
  return reply.header('connection', 'close').send(body)
}
