import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { encodingOf } from './utf16.ts'

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
 * What is UTF-16 comes as UTF-8. Throws NotUtf8 at the first chunk that is neither.
 */
export function* utf8Chunks(chunks: Iterable<Uint8Array>): Generator<Buffer> {
  yield* cutBetweenCharacters(asUtf8(chunks))
}

/** Decided by the first bytes; UTF-8 passes as it is. */
function* asUtf8(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let first: Buffer | undefined = Buffer.alloc(0)
  let decoder: TextDecoder | undefined
  for (const chunk of chunks) {
    let bytes: Uint8Array = chunk
    if (first) {
      bytes = first = Buffer.concat([first, chunk])
      if (first.length < 4) continue
      decoder = decoderFor(first)
      first = undefined
    }
    if (decoder) yield* decoded(() => decoder!.decode(bytes, { stream: true }))
    else yield bytes
  }
  if (first) {
    const whole = first
    decoder = decoderFor(whole)
    if (!decoder) yield whole
    else yield* decoded(() => decoder!.decode(whole, { stream: true }))
  }
  if (decoder) yield* decoded(() => decoder!.decode())
}

function decoderFor(head: Uint8Array): TextDecoder | undefined {
  const encoding = encodingOf(head)
  if (encoding === 'utf-32') throw new NotUtf8('It is UTF-32; UTF-8 or UTF-16 is needed.', 0)
  return encoding === 'utf-8' ? undefined : new TextDecoder(encoding, { fatal: true })
}

function* decoded(decode: () => string): Generator<Uint8Array> {
  let text: string
  try {
    text = decode()
  } catch {
    throw new NotUtf8('It has bytes that are not UTF-16.', 0)
  }
  if (text !== '') yield Buffer.from(text, 'utf8')
}

function* cutBetweenCharacters(chunks: Iterable<Uint8Array>): Generator<Buffer> {
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
