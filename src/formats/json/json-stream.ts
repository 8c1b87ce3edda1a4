import { readableSize } from '../../kernel/text/readable-size.ts'
import type { Problem } from '../format.ts'
import { NotUtf8, utf8Chunks } from '../text/utf8-chunks.ts'
import { createJsonScanner, scanned } from './json-grammar.ts'
import { jsonPointer } from './safe-json.ts'

export type JsonPath = readonly (string | number)[]
export type JsonKind = 'object' | 'array' | 'scalar'

/** 'parse': give the value whole. 'enter': ask again for each of its members. 'skip': only check its grammar. */
export type JsonChoice = 'parse' | 'enter' | 'skip'

export type JsonPart = {
  path: JsonPath
  value: unknown
  /** 1-based line on which the value begins. */
  line: number
  /** Where its text begins and ends, in bytes after a byte order mark. */
  begin: number
  end: number
}

export type JsonLimits = { depth?: number; valueBytes?: number; parts?: number }

/**
 * Walks a JSON document of any size and gives the parts that `select` asks for, one at a time, holding no more than one of
 * them. A scalar that is to be entered is given as if it were to be parsed. `path` belongs to the walk: `select` must not
 * keep it (that of a part may be kept).
 *
 * Never throws on any bytes. What is wrong is pushed on `problems`: a fatal problem ends the walk; a part of more than
 * `valueBytes` (16 MiB) is left out with a problem that is not fatal. After `parts` of them (3 million) the walk ends too:
 * hundreds of millions of tiny ones would keep a reader busy for minutes.
 */
export function* readJsonStream(
  chunks: Iterable<Uint8Array>,
  select: (path: JsonPath, kind: JsonKind) => JsonChoice,
  problems: Problem[],
  limits: JsonLimits = {},
): Generator<JsonPart, void, void> {
  const { depth = 200, valueBytes = 16 * 1024 * 1024, parts = 3_000_000 } = limits
  const scanner = createJsonScanner(depth)
  const path: (string | number)[] = []
  let choice: JsonChoice = 'enter'
  let line = 1
  let begin = 0
  /** Bytes of the chunks that are gone. */
  let before = 0
  let given = 0

  // The token being kept: its pieces from chunks that are gone, and where it begins in this one.
  let pieces: Buffer[] = []
  let kept = 0
  let start = -1
  let oversized = false

  function keepRest(bytes: Buffer): void {
    if (start === -1) return
    keep(bytes.subarray(start))
    start = 0
  }

  function keep(piece: Buffer): void {
    kept += piece.length
    if (kept > valueBytes) oversized = true
    if (oversized) pieces = []
    else pieces.push(Buffer.from(piece))
  }

  /** The text kept up to `end` of this chunk, undefined where it was too long. */
  function take(bytes: Buffer, end: number): string | undefined {
    let text: string | undefined
    if (kept === 0 && end - start <= valueBytes) text = bytes.toString('utf8', start, end)
    else {
      keep(bytes.subarray(start, end))
      if (!oversized) text = Buffer.concat(pieces).toString('utf8')
    }
    pieces = []
    kept = 0
    start = -1
    oversized = false
    return text
  }

  function problem(code: string, detail: string, at: number, fatal: boolean): void {
    // An object whose first key has not come yet has '' for it.
    const known = path.at(-1) === '' ? path.slice(0, -1) : path
    problems.push({ code, detail, line: at, pointer: shortPointer(known), fatal })
  }

  /** Goes on to the next member of the array or object around. */
  function leave(): void {
    const last = path.length - 1
    if (typeof path[last] === 'number') path[last] += 1
  }

  function ended(bytes: Buffer, end: number): JsonPart | undefined {
    if (start === -1) {
      // Either skipped, or an array or object that was entered: the path then still names a member of it.
      if (choice === 'enter') path.pop()
      choice = 'enter'
      leave()
      return undefined
    }
    const text = take(bytes, end)
    choice = 'enter'
    let part: JsonPart | undefined
    if (text === undefined) problem('value-too-large', `It is larger than ${readableSize(valueBytes)}.`, line, false)
    else part = { path: path.slice(), value: JSON.parse(text), line, begin, end: before + end }
    leave()
    return part
  }

  /** False where the walk ends. */
  function* walk(bytes: Buffer): Generator<JsonPart, boolean, void> {
    let at = 0
    for (;;) {
      const what = scanner.feed(bytes, at)
      at = scanner.position
      if (what === scanned.valueBegin) {
        const first = bytes[at]!
        const kind: JsonKind = first === 0x7b ? 'object' : first === 0x5b ? 'array' : 'scalar'
        choice = select(path, kind)
        line = scanner.line
        if (choice === 'enter' && kind !== 'scalar') path.push(kind === 'array' ? 0 : '')
        else {
          scanner.mute()
          if (choice !== 'skip') start = at
          begin = before + at
        }
      } else if (what === scanned.valueEnd) {
        const part = ended(bytes, at)
        if (part) {
          given += 1
          if (given > parts) {
            problem('too-large', `It has more than ${parts} parts.`, line, true)
            return false
          }
          yield part
        }
      } else if (what === scanned.keyBegin) start = at - 1
      else if (what === scanned.keyEnd) {
        const key = take(bytes, at)
        if (key === undefined) {
          problem('value-too-large', `A key is larger than ${readableSize(valueBytes)}.`, scanner.line, true)
          return false
        }
        path[path.length - 1] = JSON.parse(key)
      } else if (what === scanned.fault) {
        problem(scanner.fault.code, scanner.fault.detail, scanner.line, true)
        return false
      } else {
        keepRest(bytes)
        return true
      }
    }
  }

  try {
    for (const bytes of utf8Chunks(chunks)) {
      if (!(yield* walk(bytes))) return
      before += bytes.length
    }
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error
    problem('not-utf8', error.message, scanner.line + error.linesBefore, true)
    return
  }
  const what = scanner.finish()
  if (what === scanned.fault) problem(scanner.fault.code, scanner.fault.detail, scanner.line, true)
  else if (what === scanned.valueEnd) {
    const part = ended(Buffer.alloc(0), 0)
    if (part) yield part
  }
}

/** Cut where a hostile key would make it endless. */
function shortPointer(path: JsonPath): string {
  const pointer = jsonPointer(path.map(String))
  return pointer.length > 400 ? `${pointer.slice(0, 400)}…` : pointer
}
