import type { ReadResult } from '../problem.ts'
import { type Parsed, type ParseOptions, parseJson } from './safe-json.ts'

/** JSON with comments and trailing commas: these become spaces, so that every line and column stays where it was. */
export function parseJsonc(source: string, options: ParseOptions = {}): ReadResult<Parsed> {
  return parseJson(blankComments(source), options)
}

export function blankComments(source: string): string {
  // Strings are matched first, so that what looks like a comment inside one is left alone; a trailing comma is one
  // that only spaces and comments part from its closing bracket.
  let result = ''
  let kept = 0
  let comma = -1
  let afterValue = false
  const blank = (from: number, to: number) => {
    result += source.slice(kept, from) + source.slice(from, to).replace(/[^\n]/g, ' ')
    kept = to
  }
  const commas: number[] = []
  for (let at = 0; at < source.length; at++) {
    const char = source[at]!
    if (char === '"') {
      comma = -1
      afterValue = true
      at = closingQuote(source, at)
    } else if (char === '/' && (source[at + 1] === '/' || source[at + 1] === '*')) {
      const line = source[at + 1] === '/'
      const found = source.indexOf(line ? '\n' : '*/', at + 2)
      const end = found === -1 ? source.length : line ? found : found + 2
      blank(at, end)
      at = end - 1
    } else if (char === ',') {
      comma = afterValue ? at : -1
      afterValue = false
    } else if (char === '}' || char === ']') {
      if (comma !== -1) commas.push(comma)
      comma = -1
      afterValue = true
    } else if (!/\s/.test(char)) {
      comma = -1
      afterValue = char !== '{' && char !== '['
    }
  }
  result += source.slice(kept)
  return withoutCommas(result, commas)
}

function closingQuote(source: string, open: number): number {
  for (let at = open + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '"' || source[at] === '\n') return at
  }
  return source.length
}

function withoutCommas(source: string, commas: readonly number[]): string {
  const parts: string[] = []
  let kept = 0
  for (const comma of commas) {
    parts.push(source.slice(kept, comma), ' ')
    kept = comma + 1
  }
  parts.push(source.slice(kept))
  return parts.join('')
}
