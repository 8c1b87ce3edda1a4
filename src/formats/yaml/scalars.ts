import { atMarker, type Cursor, column, endLine, isBreak, isSpace, nextLine, skipSpaces, YamlFault } from './cursor.ts'

const escapes: Record<string, string> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}
const hexEscapes: Record<string, number> = { x: 2, u: 4, U: 8 }

/** A quoted scalar (YAML 1.2 §7.3.1, §7.3.2); the cursor is at its opening quote and ends after the closing one. */
export function readQuoted(cursor: Cursor, minIndent = 0): string {
  const { source } = cursor
  const start = cursor.at
  const mark = source[start]
  const parts: string[] = []
  let from = ++cursor.at
  while (true) {
    const char = source[cursor.at]
    if (char === undefined) throw new YamlFault('truncated', 'a quoted text without its end', start)
    if (char === mark) {
      parts.push(source.slice(from, cursor.at))
      cursor.at++
      if (mark === '"' || source[cursor.at] !== "'") return parts.join('')
      from = cursor.at++
    } else if (char === '\n') {
      parts.push(source.slice(from, cursor.at).trimEnd(), foldBreaks(cursor, start, minIndent))
      from = cursor.at
    } else if (char === '\\' && mark === '"') {
      parts.push(source.slice(from, cursor.at))
      parts.push(readEscape(cursor, start, minIndent))
      from = cursor.at
    } else {
      cursor.at++
    }
  }
}

function readEscape(cursor: Cursor, start: number, minIndent: number): string {
  const { source } = cursor
  const char = source[cursor.at + 1] ?? ''
  const digits = hexEscapes[char]
  if (digits !== undefined) {
    const hex = source.slice(cursor.at + 2, cursor.at + 2 + digits)
    const code = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : 0x110000
    if (code > 0x10ffff) throw new YamlFault('not-yaml', 'a broken escape', cursor.at)
    cursor.at += 2 + digits
    return String.fromCodePoint(code)
  }
  if (char === '\n') {
    cursor.at++
    const folded = foldBreaks(cursor, start, minIndent)
    return folded === ' ' ? '' : folded
  }
  if (!Object.hasOwn(escapes, char)) throw new YamlFault('not-yaml', 'an unknown escape', cursor.at)
  cursor.at += 2
  return escapes[char]!
}

/** Line folding (§6.5): one break is a space, each further empty line a newline. The cursor is at the first break. */
function foldBreaks(cursor: Cursor, start: number, minIndent: number): string {
  let breaks = 0
  while (cursor.source[cursor.at] === '\n') {
    nextLine(cursor)
    breaks++
    if (atMarker(cursor)) throw new YamlFault('not-yaml', 'a quoted text without its end', start)
    skipSpaces(cursor)
  }
  if (cursor.at < cursor.source.length && column(cursor) < minIndent) {
    throw new YamlFault('not-yaml', 'a quoted text that goes on with too little indentation', cursor.at)
  }
  return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1)
}

/** A plain scalar (§7.3.3), which may go on in lines indented by at least `minIndent`. `flow` is inside brackets. */
export function readPlain(cursor: Cursor, minIndent: number, flow: boolean): string {
  const { source } = cursor
  let text = readPlainLine(cursor, flow)
  const parts = [text]
  while (source[cursor.at] === '\n') {
    // Look ahead: blank lines belong to the scalar only if it goes on after them.
    const { at, lineStart } = cursor
    let breaks = 0
    while (source[cursor.at] === '\n') {
      nextLine(cursor)
      breaks++
      if (atMarker(cursor)) break
      skipSpaces(cursor)
    }
    const char = source[cursor.at]
    const goesOn =
      char !== undefined &&
      char !== '#' &&
      column(cursor) >= minIndent &&
      !atMarker(cursor) &&
      !(flow && ',[]{}'.includes(char))
    if (!goesOn) {
      cursor.at = at
      cursor.lineStart = lineStart
      break
    }
    if (flow && char === ':' && isFlowEnd(source[cursor.at + 1])) break
    text = readPlainLine(cursor, flow)
    if (!flow && source[cursor.at] === ':')
      throw new YamlFault('not-yaml', 'a key that is not in its own place', cursor.at)
    parts.push(breaks === 1 ? ' ' : '\n'.repeat(breaks - 1), text)
  }
  return parts.length === 1 ? text : parts.join('')
}

/** One line of a plain scalar; the cursor ends at the `:`, break or bracket that ends it, or at a comment. */
export function readPlainLine(cursor: Cursor, flow: boolean): string {
  const { source } = cursor
  const from = cursor.at
  let end = from
  for (; cursor.at < source.length; cursor.at++) {
    const char = source[cursor.at]!
    if (char === '\n') break
    if (char === ':' && (isBreak(source[cursor.at + 1]) || (flow && isFlowEnd(source[cursor.at + 1])))) break
    if (flow && ',[]{}'.includes(char)) break
    if (isSpace(char)) continue
    if (char === '#' && cursor.at > end) break
    end = cursor.at + 1
  }
  return source.slice(from, end)
}

export function isFlowEnd(char: string | undefined): boolean {
  return isBreak(char) || ',[]{}'.includes(char!)
}

/** A block scalar, `|` or `>` (§8.1); its content is indented more than `parentIndent`. */
export function readBlockScalar(cursor: Cursor, parentIndent: number): string {
  const { source } = cursor
  const folded = source[cursor.at] === '>'
  const header = /[|>](?:([+-])([1-9])?|([1-9])([+-])?)?/y
  header.lastIndex = cursor.at
  const [whole, chomp1, indent1, indent2, chomp2] = header.exec(source)!
  cursor.at += whole.length
  endLine(cursor)
  const lines = blockLines(cursor, parentIndent, Number(indent1 ?? indent2 ?? 0))
  let last = lines.length
  while (last > 0 && lines[last - 1] === '') last--
  const trailing = lines.length - last
  const body = folded ? foldLines(lines.slice(0, last)) : lines.slice(0, last).join('\n')
  const chomp = chomp1 ?? chomp2
  if (chomp === '+') return body + '\n'.repeat(trailing + (last > 0 ? 1 : 0))
  return chomp === '-' || last === 0 ? body : `${body}\n`
}

function blockLines(cursor: Cursor, parentIndent: number, explicit: number): string[] {
  const { source } = cursor
  const lines: string[] = []
  let indent = explicit > 0 ? Math.max(parentIndent, 0) + explicit : -1
  while (source[cursor.at] === '\n') {
    const { at, lineStart } = cursor
    nextLine(cursor)
    if (cursor.at >= source.length) break
    const end = source.indexOf('\n', cursor.at) === -1 ? source.length : source.indexOf('\n', cursor.at)
    let first = cursor.at
    while (first < end && source[first] === ' ' && (indent === -1 || first - cursor.at < indent)) first++
    const depth = first - cursor.at
    const blank = first === end
    if (!blank && indent === -1 && depth > parentIndent) indent = depth
    if ((!blank && (indent === -1 || depth < indent)) || atMarker(cursor)) {
      cursor.at = at
      cursor.lineStart = lineStart
      break
    }
    lines.push(blank ? '' : source.slice(first, end))
    cursor.at = end
  }
  return lines
}

function foldLines(lines: readonly string[]): string {
  const parts: string[] = []
  let blank = 0
  let previousIndented = false
  for (const line of lines) {
    if (line === '') {
      blank++
      continue
    }
    const indented = isSpace(line[0])
    if (parts.length === 0) parts.push('\n'.repeat(blank))
    else if (indented || previousIndented) parts.push('\n'.repeat(blank + 1))
    else parts.push(blank === 0 ? ' ' : '\n'.repeat(blank))
    parts.push(line)
    blank = 0
    previousIndented = indented
  }
  return parts.join('')
}
