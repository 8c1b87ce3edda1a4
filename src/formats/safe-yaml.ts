import { lineCounter } from './bytes.ts'
import type { Problem } from './format.ts'
import { fatalProblem, quote, type ReadResult } from './problem.ts'
import { type Parsed, type ParseOptions, recordLine } from './safe-json.ts'
import { readNode } from './yaml/blocks.ts'
import { type Cursor, endLine, skipBlank, YamlFault } from './yaml/cursor.ts'
import type { Visit } from './yaml/node.ts'

const defaultMaxDepth = 64

/**
 * Parses YAML that nobody vouches for. Every scalar is a string as written (so `1.10` stays `1.10`, and `true` and
 * null are 'true' and ''), anchors, aliases and tags are refused, of duplicate keys the last one counts.
 * The value is made of plain objects and arrays for `member`, `text` and `entries` of safe-json.
 *
 * It is our own reader of the part of YAML 1.2 that lockfiles and SBOMs are written in, because the general
 * parser needs a second and 100 MB for a megabyte, and far more for a hostile one. This one is linear.
 */
export function parseYaml(source: string, options: ParseOptions = {}): ReadResult<Parsed> {
  const documents = parseYamlDocuments(source, options)
  if (documents.problem) return documents
  if (documents.value.length > 1) {
    return { problem: fatalProblem('many-documents', 'The file holds more than one YAML document.') }
  }
  return { value: documents.value[0] ?? { value: '', lines: new Map() } }
}

/** All documents of a stream, parted by `---`; none where there is nothing but comments. */
export function parseYamlDocuments(source: string, options: ParseOptions = {}): ReadResult<Parsed[]> {
  const cursor: Cursor = { source: source.replaceAll('\r\n', '\n'), at: 0, lineStart: 0 }
  const lineAt = lineCounter(cursor.source)
  const parsed: Parsed[] = []
  try {
    while (skipToDocument(cursor)) parsed.push(readDocument(cursor, lineAt, options))
    return { value: parsed }
  } catch (error) {
    if (error instanceof YamlFault) return { problem: describe(cursor.source, error) }
    throw error
  }
}

/** To the next document's content or, where it is empty, to its end; false at the end of the stream (YAML 1.2 §9.2). */
function skipToDocument(cursor: Cursor): boolean {
  let started = false
  while (!skipBlank(cursor)) {
    if (cursor.at >= cursor.source.length) return started
    const starts = cursor.source[cursor.at] === '-'
    if (starts && started) return true
    started = starts
    cursor.at += 3
    if (!starts) endLine(cursor)
  }
  return true
}

function readDocument(cursor: Cursor, lineAt: (offset: number) => number, options: ParseOptions): Parsed {
  const { maxDepth = defaultMaxDepth, locate } = options
  const lines = new Map<string, number>()
  const path: string[] = []
  const visit: Visit = {
    enter(key, offset, read) {
      if (path.length >= maxDepth) throw new YamlFault('too-deep', `nested deeper than ${maxDepth} levels`, offset)
      path.push(key)
      if (locate?.(path)) recordLine(lines, path, lineAt(offset))
      const value = read()
      path.pop()
      return value
    },
  }
  const value = readNode(cursor, -1, visit)
  if (skipBlank(cursor)) throw new YamlFault('not-yaml', 'text that belongs to nothing', cursor.at)
  return { value, lines }
}

function describe(source: string, { code, message, offset }: YamlFault): Problem {
  const line = lineCounter(source)(offset)
  const place = `line ${line}, column ${offset - source.lastIndexOf('\n', offset - 1)}`
  const near = quote(source.slice(offset, offset + 40))
  if (code === 'too-deep') return fatalProblem(code, `The YAML is ${message} at ${place}.`, line)
  if (code === 'yaml-feature')
    return fatalProblem(code, `The YAML has ${message} at ${place}, which is not read.`, line)
  return fatalProblem(code, `Not valid YAML at ${place}, ${message}: ${near}.`, line)
}
