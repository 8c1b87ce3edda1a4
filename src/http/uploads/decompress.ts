import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { Fault } from '../../kernel/contract/fault.ts'

type Chunks = AsyncIterable<Buffer>
type Packing = 'gzip' | 'zstd'

// A zstd frame names the memory its reader needs: enough for every level but those that ask for long windows by name.
const zstdWindowLog = 25

/** By Content-Encoding; undefined where the body is sent as it is. */
export function contentEncodingOf(contentEncoding: string | undefined): Packing | undefined {
  const name = (contentEncoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return undefined
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  if (name === 'zstd') return 'zstd'
  throw new Fault('unsupported_media_type', 'The Content-Encoding may be gzip or zstd.')
}

/** Unpacked where the first bytes are those of gzip (RFC 1952 §2.3.1) or zstd (RFC 8878 §3.1.1), else as it is. */
export async function* decompressByContent(chunks: Chunks, what: string): AsyncGenerator<Buffer> {
  const input = chunks[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < 4) {
    const next = await input.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  const packing = packingOfHead(head)
  const whole = join(head, input)
  yield* packing ? decompress(whole, packing, what) : whole
}

export async function* decompress(chunks: Chunks, packing: Packing, what: string): AsyncGenerator<Buffer> {
  const unpacker =
    packing === 'gzip'
      ? createGunzip()
      : createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } })
  const fed = pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 64 * 1024 }), unpacker)
  // Reported by the loop below, or not at all where its reader has had enough.
  fed.catch(() => {})
  try {
    yield* unpacker as AsyncIterable<Buffer>
    await fed
  } catch (error) {
    throw isBroken(error) ? new Fault('malformed_request', `${what} is not whole or not valid ${packing}.`) : error
  } finally {
    unpacker.destroy()
  }
}

function packingOfHead(head: Buffer): Packing | undefined {
  if (head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8) return 'gzip'
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : undefined
}

async function* join(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

function isBroken(error: unknown): boolean {
  return /^(Z_|ZSTD_|ERR_ZLIB)/.test((error as { code?: string }).code ?? '')
}
