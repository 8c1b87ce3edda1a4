import type { Ecosystem } from './ecosystem.ts'

export type Disagreement = {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
  /** What the ecosystem's order says instead, written like the line. */
  readonly ours: string
}

export type VersionLines = {
  readonly checked: number
  readonly disagreements: Disagreement[]
  /** Lines that are not comparisons. */
  readonly unreadable: { readonly line: number; readonly text: string }[]
}

/** Reads `a < b`, `a = b` and `a > b`, one a line; blank lines and lines starting with # or // say nothing. */
export function checkVersionLines(ecosystem: Ecosystem, text: string): VersionLines {
  const result = { checked: 0, disagreements: [] as Disagreement[], unreadable: [] as { line: number; text: string }[] }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith('//')) continue
    const [left, operator, right, ...more] = line.split(/\s+/)
    if (!left || !right || more.length > 0 || !/^[<=>]$/.test(operator!)) {
      result.unreadable.push({ line: index + 1, text: line })
      continue
    }
    result.checked++
    const ours = sign(ecosystem.compare(left, right))
    if (ours !== operator) result.disagreements.push({ line: index + 1, text: line, ours: `${left} ${ours} ${right}` })
  }
  return result
}

function sign(comparison: number): '<' | '=' | '>' {
  return comparison < 0 ? '<' : comparison > 0 ? '>' : '='
}
