import { constants, gzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takesCoding } from '../../kernel/contract/accept-encoding.ts'

type Done = (error: Error | null, payload?: unknown) => void

/** Less is not worth it. */
const leastBytes = 1024
/** Packed at once up to this, in a tenth of a millisecond: the way to another thread and back takes twice as long. */
const atOnceBytes = 8 * 1024
// What is read once need not be as small as can be; a hundred findings are packed in a millisecond, off the event loop.
const level = constants.Z_BEST_SPEED + 3

/** For answers without secrets. Problems are left alone: they quote what was sent. */
export function compressJson(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const isWorthIt = typeof payload === 'string' && reply.statusCode === 200 && payload.length >= leastBytes
  if (isWorthIt) reply.header('vary', 'accept-encoding')
  if (isWorthIt && takesCoding(request.headers['accept-encoding'], 'gzip')) {
    reply.header('content-encoding', 'gzip')
    if (payload.length <= atOnceBytes) done(null, gzipSync(payload, { level }))
    else gzip(payload, { level }, done)
  } else done(null, payload)
}
