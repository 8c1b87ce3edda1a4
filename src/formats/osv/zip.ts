import { crc32, inflateRawSync } from 'node:zlib'
import { readableSize } from '../../kernel/text/readable-size.ts'
import { fatalProblem } from '../problem.ts'
import { type ArchiveItem, type ArchiveLimits, archiveLimits, type RandomAccess } from './archive.ts'
import { isFeedFile } from './document.ts'
import { findDirectory, readEntry, type ZipEntry } from './zip-directory.ts'

const localHeaderBytes = 30
const localSignature = 0x04034b50
const stored = 0
const deflated = 8
const encryptedFlag = 1

/**
 * The files of a zip (APPNOTE 6.3, zip64 too) that are wanted, those of feeds unless told otherwise, one at a time: no more memory than one file takes. Sizes and places are
 * the central directory's, and every one of them is checked before it is used.
 */
export function* readZip(
  source: RandomAccess,
  limits: ArchiveLimits = archiveLimits,
  isWanted: (name: string) => boolean = isFeedFile,
): Generator<ArchiveItem> {
  const directory = findDirectory(source)
  if (!directory) return yield bad('truncated', 'It is not a zip, or its end is missing.')
  if (directory.entries > limits.files) return yield bad('too-large', `It has more than ${limits.files} files.`)
  let at = directory.start
  let total = 0
  for (let i = 0; i < directory.entries; i++) {
    const entry = readEntry(source, at, directory.end)
    if (!entry) return yield bad('corrupt', `Its list of files breaks off at entry ${i + 1} of ${directory.entries}.`)
    at = entry.next
    if (!isWanted(entry.name)) continue
    if (entry.size > limits.fileBytes) {
      return yield bad('too-large', `${entry.name} is larger than ${readableSize(limits.fileBytes)}.`)
    }
    total += entry.size
    if (total > limits.totalBytes)
      return yield bad('too-large', `Unpacked it is larger than ${readableSize(limits.totalBytes)}.`)
    const bytes = unpack(source, entry)
    if (!bytes) return yield bad('corrupt', `${entry.name} in it cannot be unpacked.`)
    yield { name: entry.name, bytes }
  }
}

/** Undefined where it is encrypted, cut off, longer than it says, under another name, or does not have the checksum that it should. */
function unpack(source: RandomAccess, entry: ZipEntry): Uint8Array | undefined {
  const { offset, packedSize, size, method, flags } = entry
  if (flags & encryptedFlag || offset + localHeaderBytes > source.size) return undefined
  const header = Buffer.from(source.read(offset, localHeaderBytes))
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) return undefined
  const nameLength = header.readUInt16LE(26)
  const start = offset + localHeaderBytes + nameLength + header.readUInt16LE(28)
  if (start + packedSize > source.size) return undefined
  // The checksum is of the content alone: a file that goes by two names is damaged, or made to mislead.
  const name = Buffer.from(source.read(offset + localHeaderBytes, nameLength)).toString('utf8')
  if (name !== entry.name) return undefined
  const packed = source.read(start, packedSize)
  const bytes = method === stored ? packed : method === deflated ? inflate(packed, size) : undefined
  return bytes && bytes.length === size && crc32(bytes) === entry.crc ? bytes : undefined
}

function inflate(packed: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}

function bad(code: string, detail: string): ArchiveItem {
  return { problem: fatalProblem(code, detail) }
}
