import { hash } from 'node:crypto'
import { createMask } from '../../../formats/sarif/classify/secret.ts'

export type CodeAt = { code: string; around: string; snippet: { startLine: number; endLine: number; text: string } }

const maxLines = 20
const aroundCharacters = 100
const maxSnippet = 300
/** A minified line can be the whole file. */
const maxCharacters = 20_000

/** Of the lines that a result points at: which code it is, and what is around it, each as a hash without white space. */
export function codeAt(lines: readonly string[], startLine: number, endLine: number): CodeAt | undefined {
  if (startLine < 1 || startLine > lines.length) return undefined
  const last = Math.min(Math.max(endLine, startLine), startLine + maxLines - 1, lines.length)
  const text = lines.slice(startLine - 1, last).join('\n')
  const code = text.slice(0, maxCharacters).replace(/\s+/g, '')
  if (code === '') return undefined
  const snippet = createMask([], [])(text.slice(0, maxSnippet).toWellFormed())
  return {
    code: digest(code),
    around: digest(surroundings(lines, startLine)),
    snippet: { startLine, endLine: last, text: snippet },
  }
}

/**
 * A hundred characters from the line on and a hundred before it, white space aside. With those after it alone a copy of the line
 * right below it would have what was around the first.
 */
function surroundings(lines: readonly string[], startLine: number): string {
  const after = collect(lines, startLine - 1, 1)
  const before = collect(lines, startLine - 2, -1)
  return [before, after].join('\n')
}

function collect(lines: readonly string[], from: number, step: 1 | -1): string {
  let text = ''
  for (let at = from; at >= 0 && at < lines.length && text.length < aroundCharacters; at += step) {
    const line = lines[at]!.slice(0, maxCharacters).replace(/\s+/g, '')
    text = step === 1 ? text + line : line + text
  }
  return step === 1 ? text.slice(0, aroundCharacters) : text.slice(-aroundCharacters)
}

function digest(text: string): string {
  return hash('sha256', text.toWellFormed(), 'base64url').slice(0, 22)
}
