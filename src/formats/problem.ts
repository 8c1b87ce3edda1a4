import type { Problem } from './format.ts'

/** Either what was asked for, or why it could not be had. */
export type ReadResult<T> = { value: T; problem?: undefined } | { value?: undefined; problem: Problem }

export function fatalProblem(code: string, detail: string, line = 0, pointer = ''): Problem {
  return { code, detail, line, pointer, fatal: true }
}

/** For one entry that is left out while the rest of the document is used. */
export function entryProblem(code: string, detail: string, line = 0, pointer = ''): Problem {
  return { code, detail, line, pointer, fatal: false }
}

/** A bit of the document for a problem's detail: short, on one line, no control characters. */
export function quote(text: string, maxLength = 80): string {
  const start = text.slice(0, maxLength).replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\ufffd')
  return text.length > maxLength ? `'${start}…'` : `'${start}'`
}

/**
 * Collects the problems of a document up to a number that a person can still read: a hostile one has a problem in
 * every line. The last one says how many were left out.
 */
export function createProblems(max = 1000) {
  const kept: Problem[] = []
  let count = 0

  function add(problem: Problem): void {
    count++
    if (kept.length < max) kept.push(problem)
  }

  function list(): Problem[] {
    if (count === kept.length) return kept
    return [...kept, entryProblem('more-problems', `${count - kept.length} more problems are not listed.`)]
  }

  return { add, list }
}
