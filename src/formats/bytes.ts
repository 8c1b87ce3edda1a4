import { isUtf8 } from 'node:buffer'
import { fatalProblem, type Outcome } from './problem.ts'

const maxDocumentBytes = 64 * 1024 * 1024

/** The whole document in one piece. Stops reading as soon as it is over the limit. */
export function joinChunks(chunks: Iterable<Uint8Array>, maxBytes = maxDocumentBytes): Outcome<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) return { problem: fatalProblem('too-large', `The document is larger than ${maxBytes} bytes.`) }
    parts.push(chunk)
  }
  return { value: parts.length === 1 ? parts[0]! : Buffer.concat(parts, size) }
}

/** Strict UTF-8; a byte order mark is dropped, and UTF-16 is named for what it is. */
export function decodeUtf8(bytes: Uint8Array): Outcome<string> {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { problem: fatalProblem('not-utf8', 'The document is UTF-16, it must be UTF-8.', 1) }
  }
  if (!isUtf8(bytes)) {
    const line = firstBadLine(bytes)
    return { problem: fatalProblem('not-utf8', `The document is not valid UTF-8 (line ${line}).`, line) }
  }
  return { value: new TextDecoder().decode(bytes) }
}

/** `joinChunks` and `decodeUtf8` in one step: what a reader of a small text format starts with. */
export function readText(chunks: Iterable<Uint8Array>, maxBytes = maxDocumentBytes): Outcome<string> {
  const bytes = joinChunks(chunks, maxBytes)
  return bytes.problem ? bytes : decodeUtf8(bytes.value)
}

/** The head of a document for recognising it: never fails, and tolerates a character cut at its end. */
export function headText(head: Uint8Array): string {
  return new TextDecoder().decode(head)
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
