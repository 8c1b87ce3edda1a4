import { type Cursor, column, isSpace, nextLine, skipComment, YamlFault } from './cursor.ts'
import { refuseFeature, type Visit } from './node.ts'
import { isFlowEnd, readPlain, readQuoted } from './scalars.ts'

/** `[...]` or `{...}` (YAML 1.2 §7.4), over as many lines as it likes that are indented by `minIndent`. */
export function readFlow(cursor: Cursor, minIndent: number, visit: Visit): unknown {
  const { source } = cursor
  const start = cursor.at
  const close = source[cursor.at++] === '{' ? '}' : ']'
  const list: unknown[] = []
  const object: Record<string, unknown> = Object.create(null)
  while (true) {
    skipFlowBlank(cursor, start, minIndent)
    if (source[cursor.at] === close) break
    if (close === '}') {
      const offset = cursor.at
      const key = readFlowKey(cursor, minIndent)
      skipFlowBlank(cursor, start, minIndent)
      const hasValue = source[cursor.at] === ':'
      if (hasValue) {
        cursor.at++
        skipFlowBlank(cursor, start, minIndent)
      }
      object[key] = visit.enter(key, offset, () => (hasValue ? readFlowValue(cursor, minIndent, visit) : ''))
    } else {
      list.push(visit.enter(String(list.length), cursor.at, () => readFlowValue(cursor, minIndent, visit)))
    }
    skipFlowBlank(cursor, start, minIndent)
    const char = source[cursor.at]
    if (char === ',') cursor.at++
    else if (char === ':') throw new YamlFault('yaml-feature', 'a key and value as an element of a list', cursor.at)
    else if (char !== close) throw new YamlFault('not-yaml', `'${close}' or ',' missing`, cursor.at)
  }
  cursor.at++
  return close === '}' ? object : list
}

function readFlowKey(cursor: Cursor, minIndent: number): string {
  const char = cursor.source[cursor.at]!
  refuseFeature(cursor)
  if (char === '"' || char === "'") return readQuoted(cursor, minIndent)
  const indicator = '-?:'.includes(char) && isFlowEnd(cursor.source[cursor.at + 1])
  if (indicator || '[{,]'.includes(char)) throw new YamlFault('not-yaml', 'no key where one must be', cursor.at)
  return readPlain(cursor, minIndent, true)
}

function readFlowValue(cursor: Cursor, minIndent: number, visit: Visit): unknown {
  const { source } = cursor
  const char = source[cursor.at]!
  refuseFeature(cursor)
  if (char === '[' || char === '{') return readFlow(cursor, minIndent, visit)
  if (char === '"' || char === "'") return readQuoted(cursor, minIndent)
  if (',]}'.includes(char)) {
    if (isValueMissing(cursor)) return ''
    throw new YamlFault('not-yaml', `no value before '${char}'`, cursor.at)
  }
  if ('-?:'.includes(char) && isFlowEnd(source[cursor.at + 1])) {
    throw new YamlFault('not-yaml', `a '${char}' inside brackets`, cursor.at)
  }
  return readPlain(cursor, minIndent, true)
}

/** `{a: , b: }` has empty values; `[ , ]` is wrong. */
function isValueMissing({ source, at }: Cursor): boolean {
  let before = at - 1
  while (isSpace(source[before]) || source[before] === '\n') before--
  return source[before] === ':'
}

function skipFlowBlank(cursor: Cursor, start: number, minIndent: number): void {
  const { source } = cursor
  while (true) {
    const char = source[cursor.at]
    if (char === undefined) throw new YamlFault('truncated', 'a bracket that is never closed', start)
    if (char === '\n') {
      nextLine(cursor)
    } else if (isSpace(char)) {
      cursor.at++
    } else if (char === '#' && (column(cursor) === 0 || isSpace(source[cursor.at - 1]))) {
      skipComment(cursor)
    } else {
      if (column(cursor) < minIndent)
        throw new YamlFault('not-yaml', 'too little indentation inside brackets', cursor.at)
      return
    }
  }
}
