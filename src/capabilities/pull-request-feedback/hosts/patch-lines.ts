import type { DiffLine } from './code-host.ts'

/** The lines that a unified diff shows on its new side, by their number: those that were added, and those around them. */
export function patchLines(patch: string): Map<number, DiffLine> {
  const lines = new Map<number, DiffLine>()
  let old = 0
  let line = 0
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/.exec(text)
    if (hunk) {
      old = Number(hunk[1])
      line = Number(hunk[2])
    } else if (text.startsWith('+')) lines.set(line, { line: line++ })
    else if (text.startsWith('-')) old++
    else if (text.startsWith(' ')) lines.set(line, { line: line++, oldLine: old++ })
  }
  return lines
}
