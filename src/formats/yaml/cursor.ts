/** A place in the text. Everything of the YAML reader moves one cursor forward, so that the whole is one pass. */
export type Cursor = { readonly source: string; at: number; lineStart: number }

export type YamlFaultCode = 'not-yaml' | 'truncated' | 'too-deep' | 'yaml-feature'

export class YamlFault extends Error {
  readonly code: YamlFaultCode
  readonly offset: number
  constructor(code: YamlFaultCode, what: string, offset: number) {
    super(what)
    this.code = code
    this.offset = offset
  }
}

export function column(cursor: Cursor): number {
  return cursor.at - cursor.lineStart
}

/** Past the newline at the cursor. */
export function nextLine(cursor: Cursor): void {
  cursor.at++
  cursor.lineStart = cursor.at
}

export function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

/** A space, a line break or the end: what has to follow `-`, `?` and `:` for them to mean anything. */
export function isBreak(char: string | undefined): boolean {
  return char === undefined || char === ' ' || char === '\n' || char === '\t'
}

export function skipSpaces(cursor: Cursor): void {
  while (isSpace(cursor.source[cursor.at])) cursor.at++
}

/** To the next thing that is not a space, an empty line or a comment; false at the end of the document. */
export function skipBlank(cursor: Cursor): boolean {
  const { source } = cursor
  while (true) {
    let tab = -1
    while (isSpace(source[cursor.at])) {
      if (source[cursor.at] === '\t' && tab === -1) tab = cursor.at
      cursor.at++
    }
    const char = source[cursor.at]
    if (char === '#' && (column(cursor) === 0 || isSpace(source[cursor.at - 1]))) skipComment(cursor)
    if (source[cursor.at] === '\n') {
      nextLine(cursor)
      continue
    }
    if (cursor.at >= source.length || atMarker(cursor)) return false
    if (tab !== -1 && source.slice(cursor.lineStart, tab).trim() === '') {
      throw new YamlFault('not-yaml', 'a tab in the indentation', tab)
    }
    return true
  }
}

export function skipComment(cursor: Cursor): void {
  const end = cursor.source.indexOf('\n', cursor.at)
  cursor.at = end === -1 ? cursor.source.length : end
}

/** `---` or `...` at the start of a line ends a document wherever it stands. */
export function atMarker({ source, at, lineStart }: Cursor): boolean {
  if (at !== lineStart) return false
  return (source.startsWith('---', at) || source.startsWith('...', at)) && isBreak(source[at + 3])
}

/** After a value: nothing but a comment may stand in the rest of the line. */
export function endLine(cursor: Cursor): void {
  skipSpaces(cursor)
  const char = cursor.source[cursor.at]
  if (char === '#' && isSpace(cursor.source[cursor.at - 1])) skipComment(cursor)
  else if (char !== undefined && char !== '\n') throw new YamlFault('not-yaml', 'text after the value', cursor.at)
}
