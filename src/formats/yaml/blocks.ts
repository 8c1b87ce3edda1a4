import { type Cursor, column, endLine, isBreak, skipBlank, skipSpaces, YamlFault } from './cursor.ts'
import { readFlow } from './flow.ts'
import { refuseFeature, type Visit } from './node.ts'
import { readBlockScalar, readPlain, readPlainLine, readQuoted } from './scalars.ts'

/** The value at the cursor or in the lines below, indented by more than `parentIndent`; '' where there is none. */
export function readNode(cursor: Cursor, parentIndent: number, visit: Visit): unknown {
  if (!skipBlank(cursor) || column(cursor) <= parentIndent) return ''
  const { source } = cursor
  const indicator = source[cursor.at]!
  if (isBreak(source[cursor.at + 1])) {
    if (indicator === '-') return readSequence(cursor, visit)
    if (indicator === '?') return readMapping(cursor, visit)
  }
  return startsMapping(cursor) ? readMapping(cursor, visit) : readScalar(cursor, parentIndent, visit)
}

/** YAML 1.2 §8.2.1. The cursor is at the first dash. */
function readSequence(cursor: Cursor, visit: Visit): unknown[] {
  const indent = column(cursor)
  const list: unknown[] = []
  while (true) {
    const offset = cursor.at
    cursor.at++
    list.push(visit.enter(String(list.length), offset, () => readNode(cursor, indent, visit)))
    if (!atNextEntry(cursor, indent)) return list
    // A sequence may stand as deep as the key above it, so that the next key ends it.
    if (cursor.source[cursor.at] !== '-' || !isBreak(cursor.source[cursor.at + 1])) return list
  }
}

/** §8.2.2. The cursor is at the first key. */
function readMapping(cursor: Cursor, visit: Visit): unknown {
  const { source } = cursor
  const indent = column(cursor)
  const object: Record<string, unknown> = Object.create(null)
  do {
    const offset = cursor.at
    const key =
      source[cursor.at] === '?' && isBreak(source[cursor.at + 1]) ? readLongKey(cursor, indent, visit) : readKey(cursor)
    if (source[cursor.at] !== ':') throw new YamlFault('not-yaml', "a key without ':'", offset)
    cursor.at++
    object[key] = visit.enter(key, offset, () => readMember(cursor, indent, visit))
  } while (atNextEntry(cursor, indent))
  return object
}

function readMember(cursor: Cursor, indent: number, visit: Visit): unknown {
  const { source, lineStart } = cursor
  skipSpaces(cursor)
  const char = source[cursor.at]
  const sameLine = char !== undefined && char !== '\n' && char !== '#'
  if (sameLine) {
    if (startsMapping(cursor) || (char === '-' && isBreak(source[cursor.at + 1]))) {
      throw new YamlFault('not-yaml', 'a key or list in the line of another key', cursor.at)
    }
    return readScalar(cursor, indent, visit)
  }
  if (!skipBlank(cursor)) return ''
  const dash = source[cursor.at] === '-' && isBreak(source[cursor.at + 1])
  if (dash && column(cursor) === indent && cursor.lineStart > lineStart) return readSequence(cursor, visit)
  return readNode(cursor, indent, visit)
}

/** `? key`, then `:` in a line of its own: how keys of more than 1024 characters are written. */
function readLongKey(cursor: Cursor, indent: number, visit: Visit): string {
  const { source } = cursor
  const offset = cursor.at
  cursor.at++
  if (!skipBlank(cursor) || column(cursor) <= indent) throw new YamlFault('not-yaml', 'no key after the ?', offset)
  const nested = '-?'.includes(source[cursor.at]!) && isBreak(source[cursor.at + 1])
  const key = nested || startsMapping(cursor) ? undefined : readScalar(cursor, indent, visit)
  if (typeof key !== 'string') throw new YamlFault('yaml-feature', 'a key that is not plain text', offset)
  if (!skipBlank(cursor) || column(cursor) !== indent) throw new YamlFault('not-yaml', "a key without ':'", offset)
  return key
}

function readKey(cursor: Cursor): string {
  const char = cursor.source[cursor.at]!
  refuseFeature(cursor)
  const line = cursor.lineStart
  const offset = cursor.at
  const key = char === '"' || char === "'" ? readQuoted(cursor) : readPlainLine(cursor, false)
  if (cursor.lineStart !== line) throw new YamlFault('not-yaml', 'a key over several lines', offset)
  skipSpaces(cursor)
  return key
}

function readScalar(cursor: Cursor, parentIndent: number, visit: Visit): unknown {
  const char = cursor.source[cursor.at]!
  refuseFeature(cursor)
  if (char === '|' || char === '>') return readBlockScalar(cursor, parentIndent)
  let value: unknown
  if (char === '[' || char === '{') value = readFlow(cursor, parentIndent + 1, visit)
  else if (char === '"' || char === "'") value = readQuoted(cursor, parentIndent + 1)
  else if (',]}'.includes(char)) throw new YamlFault('not-yaml', `a text that starts with '${char}'`, cursor.at)
  else value = readPlain(cursor, parentIndent + 1, false)
  endLine(cursor)
  return value
}

/** Looks ahead in this line only, and leaves the cursor where it was. */
function startsMapping(cursor: Cursor): boolean {
  const { at, lineStart, source } = cursor
  const char = source[at]!
  if (char === '[' || char === '{' || char === '|' || char === '>') return false
  if (char === '"' || char === "'") {
    const end = quotedEnd(source, at)
    if (end === -1) return false
    cursor.at = end
    skipSpaces(cursor)
  } else {
    readPlainLine(cursor, false)
  }
  const found = source[cursor.at] === ':' && isBreak(source[cursor.at + 1])
  cursor.at = at
  cursor.lineStart = lineStart
  return found
}

/** After the closing quote, -1 where it is not in this line. */
function quotedEnd(source: string, open: number): number {
  const mark = source[open]
  for (let at = open + 1; at < source.length && source[at] !== '\n'; at++) {
    if (source[at] === '\\' && mark === '"') at++
    else if (source[at] === mark && mark === "'" && source[at + 1] === mark) at++
    else if (source[at] === mark) return at + 1
  }
  return -1
}

/** True at a next entry as deep as the one before, false at the end of the collection. */
function atNextEntry(cursor: Cursor, indent: number): boolean {
  if (!skipBlank(cursor)) return false
  const next = column(cursor)
  if (next > indent) throw new YamlFault('not-yaml', 'an entry with more indentation than the one before', cursor.at)
  return next === indent
}
