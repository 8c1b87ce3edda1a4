import type { Finding, FindingDetail } from '../../../src/capabilities/findings/finding.ts'

type Location = Finding['locations'][number]
export type CodeLine = { number: number; text: string; marked: boolean }

/** The lines around the place, where they are known and hold it, with those of the place marked; else its own alone. */
export function codeLines(location: Location, surroundings: FindingDetail['surroundings'] = null): CodeLine[] {
  const { startLine, endLine, snippet } = location
  if (surroundings && startLine > 0) {
    const lines = linesOf(surroundings.text).map((text, index) => {
      const number = surroundings.startLine + index
      return { number, text, marked: number >= startLine && number <= Math.max(startLine, endLine) }
    })
    if (lines.some((line) => line.marked)) return lines
  }
  return linesOf(snippet).map((text, index) => ({
    number: startLine > 0 ? startLine + index : 0,
    text,
    marked: true,
  }))
}

function linesOf(code: string): string[] {
  return code === '' ? [] : code.replace(/\n$/, '').split('\n')
}
