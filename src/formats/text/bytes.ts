import { isUtf8 } from 'node:buffer'
import { readableSize } from '../../kernel/text/readable-size.ts'
import { fatalProblem, type ReadResult } from '../problem.ts'
import { type Encoding, encodingOf } from './utf16.ts'

const maxDocumentBytes = 64 * 1024 * 1024

/** The whole document in one piece. Stops reading as soon as it is over the limit. */
export function joinChunks(chunks: Iterable<Uint8Array>, maxBytes = maxDocumentBytes): ReadResult<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes)
      return { problem: fatalProblem('too-large', `The document is larger than ${readableSize(maxBytes)}.`) }
    parts.push(chunk)
  }
  return { value: parts.length === 1 ? parts[0]! : Buffer.concat(parts, size) }
}

/** Strict UTF-8, or UTF-16, which is what PowerShell writes; a byte order mark is dropped. */
export function decodeText(bytes: Uint8Array): ReadResult<string> {
  const encoding = encodingOf(bytes)
  if (encoding !== 'utf-8') return decodeUtf16(bytes, encoding)
  if (!isUtf8(bytes)) {
    const line = firstBadLine(bytes)
    return { problem: fatalProblem('not-utf8', `The document is not valid UTF-8 (line ${line}).`, line) }
  }
  return { value: new TextDecoder().decode(bytes) }
}

function decodeUtf16(bytes: Uint8Array, encoding: Exclude<Encoding, 'utf-8'>): ReadResult<string> {
  const refused = (what: string) => ({ problem: fatalProblem('not-utf8', `The document is ${what}.`, 1) })
  if (encoding === 'utf-32') return refused('UTF-32, it must be UTF-8 or UTF-16')
  try {
    return { value: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    return refused('not valid UTF-16')
  }
}

/** `joinChunks` and `decodeText` in one step: what a reader of a small text format starts with. */
export function readText(chunks: Iterable<Uint8Array>, maxBytes = maxDocumentBytes): ReadResult<string> {
  const bytes = joinChunks(chunks, maxBytes)
  return bytes.problem ? bytes : decodeText(bytes.value)
}

/** The head of a document for recognising it: never fails, and tolerates a character cut at its end. */
export function headText(head: Uint8Array): string {
  const encoding = encodingOf(head)
  return new TextDecoder(encoding === 'utf-32' ? 'utf-8' : encoding).decode(head)
}

/** Lines of ascending offsets: each call goes on from the one before, so that all together cost one pass. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let next = text.indexOf('\n')
  return (offset) => {
    while (next !== -1 && next < offset) {
      line++
      next = text.indexOf('\n', next + 1)
    }
    return line
  }
}

/** No UTF-8 sequence has a newline byte inside, so each line is valid or not by itself. */
function firstBadLine(bytes: Uint8Array): number {
  let start = 0
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(10, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
}
