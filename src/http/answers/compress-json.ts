import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const pack = promisify(gzip)
/** Less is not worth it. */
const leastBytes = 1024
// What is read once need not be as small as can be; a hundred findings are packed in a millisecond, off the event loop.
const level = constants.Z_BEST_SPEED + 3

/** For answers without secrets. Problems are left alone: they quote what was sent. */
export async function compressJson(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || reply.statusCode !== 200 || payload.length < leastBytes) return payload
  reply.header('vary', 'accept-encoding')
  if (!takesGzip(String(request.headers['accept-encoding'] ?? ''))) return payload
  reply.header('content-encoding', 'gzip')
  return pack(payload, { level })
}

/** RFC 9110 §12.5.3: `gzip;q=0` is a refusal. */
function takesGzip(header: string): boolean {
  return /(^|,)\s*(gzip|\*)\s*(;|,|$)/i.test(header) && !/(^|,)\s*(gzip|\*)\s*;\s*q=0(\.0*)?\s*(,|$)/i.test(header)
}
