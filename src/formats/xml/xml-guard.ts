import type { Problem } from '../format.ts'
import { fatalProblem } from '../problem.ts'
import { lineCounter } from '../text/bytes.ts'

export type XmlLimits = {
  maxCharacters: number
  maxDepth: number
  maxElements: number
  /** Of one tag with its attributes. */
  maxTagCharacters: number
  /** Of the text between two tags. */
  maxTextCharacters: number
}

export const xmlLimits: XmlLimits = {
  maxCharacters: 64 * 1024 * 1024,
  maxDepth: 200,
  maxElements: 500_000,
  maxTagCharacters: 64 * 1024,
  maxTextCharacters: 2 * 1024 * 1024,
}

/**
 * One pass over the text before the XML library sees it: whatever could cost it more than linear time or memory, and
 * any document type declaration, is refused here. A reader of dependencies needs neither entities nor outside files.
 */
export function guardXml(text: string, limits: XmlLimits): Problem | undefined {
  if (text.length > limits.maxCharacters)
    return fatalProblem('too-large', `The XML is longer than ${limits.maxCharacters} characters.`, 0)
  let depth = 0
  let elements = 0
  let textCharacters = 0
  let at = 0
  const fault = (code: string, detail: string) => fatalProblem(code, detail, lineCounter(text)(at))
  while (at < text.length) {
    const open = text.indexOf('<', at)
    textCharacters += (open < 0 ? text.length : open) - at
    if (textCharacters > limits.maxTextCharacters)
      return fault('too-large', `A text is longer than ${limits.maxTextCharacters} characters.`)
    if (open < 0) break
    at = open
    const end = endOfMarkup(text, open)
    if (end === 'doctype') return fault(end, 'Document type declarations are refused.')
    if (end === 'malformed-xml') return fault(end, 'A tag has an equals sign without a name before it.')
    if (end < 0) return fault('truncated', 'The XML ends inside a tag, comment or CDATA section.')
    if (text[open + 1] === '/') {
      depth--
      textCharacters = 0
    } else if (text[open + 1] !== '!' && text[open + 1] !== '?') {
      textCharacters = 0
      if (++elements > limits.maxElements)
        return fault('too-large', `There are more than ${limits.maxElements} elements.`)
      if (text[end - 2] !== '/' && ++depth > limits.maxDepth)
        return fault('too-deep', `Elements are nested more than ${limits.maxDepth} deep.`)
    }
    if (text[open + 1] !== '!' && end - open > limits.maxTagCharacters)
      return fault('too-large', `A tag is longer than ${limits.maxTagCharacters} characters.`)
    at = end
  }
  at = text.length
  if (depth > 0) return fault('truncated', 'The XML ends before all elements are closed.')
  return undefined
}

/** The index after the markup that starts at `open`; -1 where the text ends first. */
function endOfMarkup(text: string, open: number): number | 'doctype' | 'malformed-xml' {
  if (text.startsWith('<!--', open)) return after(text, '-->', open + 4)
  if (text.startsWith('<![CDATA[', open)) return after(text, ']]>', open + 9)
  if (text[open + 1] === '!') return 'doctype'
  if (text[open + 1] === '?') return after(text, '?>', open + 2)
  return endOfTag(text, open)
}

/** An `=` without a name before it is refused here, because the library walks the blanks before it again and again. */
function endOfTag(text: string, open: number): number | 'malformed-xml' {
  let quote = 0
  let inTagName = true
  let named = false
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quote) {
      if (code === quote) quote = 0
    } else if (code === 62) return at + 1
    else if (isBlank(code)) {
      if (inTagName) named = inTagName = false
    } else if (code === 34 || code === 39) {
      quote = code
      named = false
    } else if (code === 61) {
      if (!named) return 'malformed-xml'
      named = false
    } else named = true
  }
  return -1
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? -1 : found + mark.length
}
