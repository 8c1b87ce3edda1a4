import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Download } from '../../kernel/contract/api.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'

const chunkLength = 65_536

/** The pieces are made as fast as the client takes them, so a large document never lies in memory as a whole. */
export function sendDownload(reply: FastifyReply, { mediaType, fileName, pieces }: Download): FastifyReply {
  const plainName = fileName.replace(/[^A-Za-z0-9._-]+/g, '-')
  return reply
    .type(mediaType)
    .header('content-disposition', `attachment; filename="${plainName}"`)
    .send(Readable.from(chunksOf(pieces), { objectMode: false }))
}

/** An empty piece says that there was much to do before the next one: others have their turn meanwhile. */
async function* chunksOf(pieces: Download['pieces']): AsyncGenerator<Buffer> {
  const breath = createYield()
  let chunk = ''
  for await (const piece of pieces) {
    await breath()
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}
