import { eachLine } from '../text/lines.ts'

/** A requirement or option with its continuation lines joined; `via` are the comment lines that follow it. */
export type LogicalLine = { text: string; line: number; via: string[] }

const maxLength = 256 * 1024

/** As pip joins lines and drops comments (pip, Requirements File Format); a line without end is cut. */
export function* logicalLines(source: string): Generator<LogicalLine> {
  let parts: string[] = []
  let length = 0
  let start = 0
  let waiting: LogicalLine | undefined
  for (const { text, line } of eachLine(source)) {
    const comment = /^\s*#/.test(text)
    if (comment && waiting && parts.length === 0) {
      if (waiting.via.length < 1000) waiting.via.push(text.trim())
      continue
    }
    if (parts.length === 0) start = line
    const continued = !comment && text.endsWith('\\')
    if (!comment && length < maxLength) {
      parts.push(continued ? text.slice(0, -1) : text)
      length += text.length
    }
    if (continued) continue
    const joined = withoutComment(parts.join(' ')).trim().slice(0, maxLength)
    parts = []
    length = 0
    if (joined === '') continue
    if (waiting) yield waiting
    waiting = { text: joined, line: start, via: [] }
  }
  if (waiting) yield waiting
  const last = withoutComment(parts.join(' ')).trim().slice(0, maxLength)
  if (last !== '') yield { text: last, line: start, via: [] }
}

/** A comment starts at the beginning or after a blank; `#egg=` in an address is none. */
function withoutComment(text: string): string {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    if (at === 0 || /\s/.test(text[at - 1]!)) return text.slice(0, at)
  }
  return text
}
