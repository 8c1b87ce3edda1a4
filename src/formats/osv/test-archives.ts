import { crc32, deflateRawSync } from 'node:zlib'
import type { RandomAccess } from './archive.ts'

export type TestFile = { name: string; content: string | Buffer }
export type ZipTwist = { size?: number; method?: number; flags?: number; crc?: number; zip64?: boolean }

/** A zip as any program writes it, unless it is told to lie. */
export function makeZip(files: TestFile[], twist: ZipTwist = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content } of files) {
    const data = Buffer.from(content)
    const packed = deflateRawSync(data)
    const title = Buffer.from(name)
    const fixed = Buffer.alloc(26)
    fixed.writeUInt16LE(twist.zip64 ? 45 : 20, 0)
    fixed.writeUInt16LE(twist.flags ?? 0, 2)
    fixed.writeUInt16LE(twist.method ?? 8, 4)
    fixed.writeUInt32LE(twist.crc ?? crc32(data), 10)
    fixed.writeUInt32LE(packed.length, 14)
    fixed.writeUInt32LE(twist.size ?? data.length, 18)
    fixed.writeUInt16LE(title.length, 22)
    const local = Buffer.concat([signature(0x04034b50), fixed, title, packed])
    const extra = twist.zip64 ? zip64Extra(data.length, packed.length, offset) : Buffer.alloc(0)
    const entry = Buffer.from(fixed)
    entry.writeUInt16LE(extra.length, 24)
    if (twist.zip64) entry.fill(0xff, 14, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(twist.zip64 ? 0xffffffff : offset, 10)
    directory.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), entry, tail, title, extra]))
    parts.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  return Buffer.concat([...parts, list, endOf(files.length, list.length, offset, twist.zip64 ?? false)])
}

function endOf(entries: number, size: number, start: number, isLarge: boolean): Buffer {
  const end = Buffer.alloc(18)
  end.writeUInt16LE(isLarge ? 0xffff : entries, 4)
  end.writeUInt16LE(isLarge ? 0xffff : entries, 6)
  end.writeUInt32LE(isLarge ? 0xffffffff : size, 8)
  end.writeUInt32LE(isLarge ? 0xffffffff : start, 12)
  if (!isLarge) return Buffer.concat([signature(0x06054b50), end])
  const large = Buffer.alloc(52)
  large.writeBigUInt64LE(44n, 0)
  large.writeBigUInt64LE(BigInt(entries), 20)
  large.writeBigUInt64LE(BigInt(entries), 28)
  large.writeBigUInt64LE(BigInt(size), 36)
  large.writeBigUInt64LE(BigInt(start), 44)
  const locator = Buffer.alloc(16)
  locator.writeBigUInt64LE(BigInt(start + size), 4)
  return Buffer.concat([signature(0x06064b50), large, signature(0x07064b50), locator, signature(0x06054b50), end])
}

function zip64Extra(size: number, packedSize: number, offset: number): Buffer {
  const extra = Buffer.alloc(28)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(24, 2)
  for (const [i, value] of [size, packedSize, offset].entries()) extra.writeBigUInt64LE(BigInt(value), 4 + i * 8)
  return extra
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export type TarFile = TestFile & { kind?: string; size?: number }

export function makeTar(files: TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, content, kind = '0', size }) => {
    const data = Buffer.from(content)
    return [tarHeader(name, size ?? data.length, kind), data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

function tarHeader(name: string, size: number, kind: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name.slice(0, 100), 0)
  header.write('0000644\0', 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(kind, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

export function inMemory(bytes: Buffer): RandomAccess {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) }
}

export async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
