import { readableSize } from '../../kernel/text/readable-size.ts'
import type { Problem } from '../format.ts'
import { parseJson } from '../json/safe-json.ts'
import { fatalProblem, type ReadResult } from '../problem.ts'
import { decodeText } from '../text/bytes.ts'
import { type OsvRecord, readRecord } from './record.ts'

/** A file of a feed, out of a folder or an archive. */
export type FeedFile = { name: string; bytes: Uint8Array }
/** A record, or why there is none at this place. */
export type FeedItem = { name: string; record: OsvRecord; problem?: undefined } | { name: string; problem: Problem }

const maxLineBytes = 8 * 1024 * 1024

const lineNames = /\.(ndjson|jsonl)$/i

/** Whether a file of a folder or archive is one to read, by its name: a feed may come with a licence and a read-me. */
export function isFeedFile(name: string): boolean {
  return /\.(json|ndjson|jsonl)$/i.test(name) && !/(^|\/)(\.|__MACOSX\/)/.test(name)
}

/** One record, a list of records, or a record a line. */
export function* readDocument({ name, bytes }: FeedFile): Generator<FeedItem> {
  if (lineNames.test(name)) yield* readLines(name, bytes)
  else yield* readText(name, bytes)
}

function* readLines(name: string, bytes: Uint8Array): Generator<FeedItem> {
  let start = 0
  for (let line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start)
    const end = newline === -1 ? bytes.length : newline
    if (end - start > maxLineBytes) {
      yield {
        name,
        problem: fatalProblem('too-large', `Line ${line} is larger than ${readableSize(maxLineBytes)}.`, line),
      }
      return
    }
    const piece = bytes.subarray(start, end)
    if (!isBlank(piece)) yield* readText(`${name}:${line}`, piece)
    start = end + 1
  }
}

function* readText(name: string, bytes: Uint8Array): Generator<FeedItem> {
  const source = decodeText(bytes)
  const parsed = source.problem ? source : parse(source.value)
  if (parsed.problem) {
    yield { name, problem: parsed.problem }
    return
  }
  for (const each of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
    const read = readRecord(each)
    yield read.problem ? { name, problem: read.problem } : { name, record: read.value }
  }
}

/** The built-in parser does for what is right, at a fraction of the time; ours says what is wrong. Nothing here recurses. */
function parse(source: string): ReadResult<unknown> {
  try {
    return { value: JSON.parse(source) }
  } catch {
    const { problem } = parseJson(source)
    return { problem: problem ?? fatalProblem('not-json', 'The document is not valid JSON.') }
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
