import { isUtf8 } from 'node:buffer'

/** Thrown by `utf8Chunks`, for a reader to turn into a problem of its own. */
export class NotUtf8 extends Error {
  /** Line breaks between the start of the offending chunk and the offending bytes. */
  readonly linesBefore: number

  constructor(message: string, linesBefore: number) {
    super(message)
    this.linesBefore = linesBefore
  }
}

/**
 * The same bytes, without a byte order mark and cut only between characters, so that any chunk can be decoded by itself.
 * Throws NotUtf8 at the first chunk that is not UTF-8.
 */
export function* utf8Chunks(chunks: Iterable<Uint8Array>): Generator<Buffer> {
  let carried: Buffer = Buffer.alloc(0)
  let atStart = true
  for (const chunk of chunks) {
    if (chunk.length === 0) continue
    let bytes: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    if (carried.length > 0) bytes = Buffer.concat([carried, bytes])
    if (atStart) {
      if (bytes.length < 4) {
        carried = Buffer.from(bytes)
        continue
      }
      bytes = withoutMark(bytes)
      atStart = false
    }
    const cut = bytes.length - unfinished(bytes)
    // Copied, for whoever made the chunk may use its memory again.
    carried = Buffer.from(bytes.subarray(cut))
    if (cut > 0) yield checked(bytes.subarray(0, cut))
  }
  const rest = atStart ? withoutMark(carried) : carried
  if (rest.length > 0) yield checked(rest)
}

function withoutMark(head: Buffer): Buffer {
  const [a, b, c] = head
  if ((a === 0xfe && b === 0xff) || (a === 0xff && b === 0xfe)) throw new NotUtf8('It is UTF-16; UTF-8 is needed.', 0)
  // No text begins with a NUL or has one second, but ASCII in UTF-16 or UTF-32 does.
  if (head.length > 1 && (a === 0 || b === 0)) throw new NotUtf8('It is UTF-16 or UTF-32; UTF-8 is needed.', 0)
  return a === 0xef && b === 0xbb && c === 0xbf ? head.subarray(3) : head
}

/** How many bytes at the end begin a character that the chunk does not finish (RFC 3629 §3). */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? back : 0
    }
  }
  return 0
}

function checked(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes
  let lines = 0
  for (let start = 0; start < bytes.length; lines += 1) {
    const end = bytes.indexOf(0x0a, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  throw new NotUtf8('It has bytes that are not UTF-8.', lines)
}
