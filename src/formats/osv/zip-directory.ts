import type { RandomAccess } from './archive.ts'

/** `records`: where the records about the end begin; `last`: where the last of them is. */
export type ZipDirectory = { start: number; end: number; entries: number; records: number; last: number }
export type ZipEntry = {
  name: string
  flags: number
  method: number
  crc: number
  packedSize: number
  size: number
  offset: number
  extra: Buffer
  /** Where the entry after it is. */
  next: number
}

const endBytes = 22
const longestComment = 0xffff
const endSignature = 0x06054b50
const locatorBytes = 20
const locatorSignature = 0x07064b50
const end64Bytes = 56
const end64Signature = 0x06064b50
const entryBytes = 46
const entrySignature = 0x02014b50
/** In a 16- or 32-bit field: the value is in the zip64 part. */
const elsewhere16 = 0xffff
const elsewhere32 = 0xffff_ffff
const zip64Extra = 1

/** APPNOTE 4.3.16: the end record is the last one whose comment reaches exactly to the end of the file. */
export function findDirectory(source: RandomAccess): ZipDirectory | undefined {
  const length = Math.min(source.size, endBytes + longestComment)
  const tail = Buffer.from(source.read(source.size - length, length))
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endSignature || at + endBytes + tail.readUInt16LE(at + 20) !== tail.length) continue
    return directoryAt(source, source.size - length + at, tail.subarray(at))
  }
  return undefined
}

function directoryAt(source: RandomAccess, at: number, record: Buffer): ZipDirectory | undefined {
  const small = {
    entries: record.readUInt16LE(10),
    size: record.readUInt32LE(12),
    start: record.readUInt32LE(16),
  }
  // Some readers go by it wherever it is there, others only where a value is left out here.
  const large = largeDirectory(source, at)
  if (large && !isSameDirectory(small, large)) return undefined
  const found = large ?? { ...small, records: at }
  const end = found.start + found.size
  // Each entry takes some bytes, so a number of entries that cannot fit is a lie.
  if (!Number.isSafeInteger(end) || end > at || found.entries * entryBytes > found.size) return undefined
  return { start: found.start, end, entries: found.entries, records: found.records, last: at }
}

type Counts = { entries: number; size: number; start: number }

function isSameDirectory(small: Counts, large: Counts): boolean {
  return (['entries', 'size', 'start'] as const).every(
    (each) => small[each] === (each === 'entries' ? elsewhere16 : elsewhere32) || small[each] === large[each],
  )
}

function largeDirectory(source: RandomAccess, at: number) {
  if (at < locatorBytes) return undefined
  const locator = Buffer.from(source.read(at - locatorBytes, locatorBytes))
  if (locator.readUInt32LE(0) !== locatorSignature) return undefined
  const place = Number(locator.readBigUInt64LE(8))
  if (!Number.isSafeInteger(place) || place + end64Bytes > source.size) return undefined
  const record = Buffer.from(source.read(place, end64Bytes))
  if (record.readUInt32LE(0) !== end64Signature) return undefined
  return {
    entries: Number(record.readBigUInt64LE(32)),
    size: Number(record.readBigUInt64LE(40)),
    start: Number(record.readBigUInt64LE(48)),
    records: place,
  }
}

export function readEntry(source: RandomAccess, at: number, end: number): ZipEntry | undefined {
  if (at + entryBytes > end) return undefined
  const head = Buffer.from(source.read(at, entryBytes))
  if (head.readUInt32LE(0) !== entrySignature) return undefined
  const nameLength = head.readUInt16LE(28)
  const extraLength = head.readUInt16LE(30)
  const next = at + entryBytes + nameLength + extraLength + head.readUInt16LE(32)
  if (next > end) return undefined
  const rest = Buffer.from(source.read(at + entryBytes, nameLength + extraLength))
  const sizes = { size: head.readUInt32LE(24), packedSize: head.readUInt32LE(20), offset: head.readUInt32LE(42) }
  const large = largeSizes(sizes, rest.subarray(nameLength))
  if (!large) return undefined
  return {
    name: rest.toString('utf8', 0, nameLength),
    flags: head.readUInt16LE(8),
    method: head.readUInt16LE(10),
    crc: head.readUInt32LE(16),
    ...large,
    extra: rest.subarray(nameLength),
    next,
  }
}

type Sizes = Pick<ZipEntry, 'size' | 'packedSize' | 'offset'>

/** APPNOTE 4.5.3: the extra field has, in this order, only those that did not fit. */
function largeSizes(sizes: Sizes, extra: Buffer): Sizes | undefined {
  const missing = (['size', 'packedSize', 'offset'] as const).filter((each) => sizes[each] === elsewhere32)
  if (missing.length === 0) return sizes
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== zip64Extra) continue
    if (at + 4 + missing.length * 8 > extra.length) return undefined
    const values = missing.map((each, i) => [each, Number(extra.readBigUInt64LE(at + 4 + i * 8))] as const)
    if (values.some(([, value]) => !Number.isSafeInteger(value))) return undefined
    return { ...sizes, ...Object.fromEntries(values) }
  }
  return undefined
}
