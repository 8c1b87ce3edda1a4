import { promisify } from 'node:util'
import { crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'

export type ZipEntry = { name: string; content: Buffer }

const deflate = promisify(deflateRaw)
/** Up to this size the way to a thread and back takes the one that answers requests longer than to pack it. */
const mostAtOnce = 4_096
const full16 = 0xffff
const full32 = 0xffff_ffff

/**
 * A zip archive (APPNOTE.TXT) as its entries come in, batch by batch. With ZIP64 where there are more than 65,534 entries or 4 GiB,
 * which the archives of OSV have long passed. The same entries give the same bytes.
 */
export async function* zipStream(batches: AsyncIterable<readonly ZipEntry[]>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = []
  const breath = createYield()
  let at = 0
  for await (const batch of batches) {
    const packing: (Buffer | Promise<Buffer>)[] = []
    for (const { content } of batch) {
      await breath()
      packing.push(pack(content))
    }
    const packed = await Promise.all(packing)
    const parts = batch.flatMap(({ name, content }, index) => {
      const body = packed[index]!
      const { local, central } = headersOf(Buffer.from(name), content, body, at)
      directory.push(central)
      at += local.length + body.length
      return [local, body]
    })
    yield Buffer.concat(parts)
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  for (let from = 0; from < directory.length; from += 1_000) yield Buffer.concat(directory.slice(from, from + 1_000))
  yield endOf(directory.length, size, at)
}

function pack(content: Buffer): Buffer | Promise<Buffer> {
  const memory = memoryFor(content.length)
  if (content.length <= mostAtOnce) return deflateRawSync(content, memory)
  const packed = deflate(content, memory)
  // Whoever waits for all of them hears of a failure, and it may come before that.
  packed.catch(() => {})
  return packed
}

/**
 * zlib clears 256 KiB for each file unless told otherwise, which costs more than to pack a few hundred bytes, and keeps 16 KiB for what
 * comes out.
 */
function memoryFor(bytes: number): { windowBits: number; memLevel: number; chunkSize: number } {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes + 1))))
  return { windowBits, memLevel: windowBits - 7, chunkSize: Math.min(bytes + 64, 16_384) }
}

function headersOf(name: Buffer, content: Buffer, packed: Buffer, at: number) {
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(45, 0)
  // Names are UTF-8.
  facts.writeUInt16LE(0x800, 2)
  facts.writeUInt16LE(8, 4)
  // The first of January 1980.
  facts.writeUInt16LE(0x21, 8)
  facts.writeUInt32LE(crc32(content), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(content.length, 18)
  facts.writeUInt16LE(name.length, 22)
  const far = at >= full32
  const place = Buffer.alloc(14)
  place.writeUInt32LE(far ? full32 : at, 10)
  const extra = Buffer.alloc(far ? 12 : 0)
  if (far) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(at), 4)
  }
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name])
  const listed = Buffer.from(facts)
  listed.writeUInt16LE(extra.length, 24)
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x2d\x00'), listed, place, name, extra])
  return { local, central }
}

function endOf(entries: number, size: number, at: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Math.min(entries, full16), 8)
  end.writeUInt16LE(Math.min(entries, full16), 10)
  end.writeUInt32LE(Math.min(size, full32), 12)
  end.writeUInt32LE(Math.min(at, full32), 16)
  if (entries < full16 && size < full32 && at < full32) return end
  const wide = Buffer.alloc(56)
  wide.write('PK\x06\x06', 'latin1')
  wide.writeBigUInt64LE(44n, 4)
  wide.writeUInt16LE(45, 12)
  wide.writeUInt16LE(45, 14)
  wide.writeBigUInt64LE(BigInt(entries), 24)
  wide.writeBigUInt64LE(BigInt(entries), 32)
  wide.writeBigUInt64LE(BigInt(size), 40)
  wide.writeBigUInt64LE(BigInt(at), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeBigUInt64LE(BigInt(at + size), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([wide, locator, end])
}
