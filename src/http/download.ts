import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Download } from '../kernel/contract/api.ts'

const chunkLength = 65_536

/** The pieces are made as fast as the client takes them, so a large document never lies in memory as a whole. */
export function sendDownload(reply: FastifyReply, { mediaType, fileName, pieces }: Download): FastifyReply {
  const plainName = fileName.replace(/[^A-Za-z0-9._-]+/g, '-')
  return reply
    .type(mediaType)
    .header('content-disposition', `attachment; filename="${plainName}"`)
    .send(Readable.from(Symbol.iterator in pieces ? chunksOf(pieces) : laterChunksOf(pieces), { objectMode: false }))
}

function* chunksOf(pieces: Iterable<string>): Generator<Buffer> {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}

/** The same for pieces that have to be waited for. */
async function* laterChunksOf(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = ''
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}
