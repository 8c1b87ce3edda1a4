import { quote } from '../problem.ts'
import type { ProblemCounts } from './problem-counts.ts'
import type { Fault } from './shape.ts'

export type DocumentPosition = { line: number; pointer: string }

/** One problem for each sort of fault, at its first place. */
export function faults(problemCounts: ProblemCounts, { line, pointer }: DocumentPosition): Fault {
  return (code, at, detail) => {
    const where = quote(pointer + at, 120)
    const describe = (count: number) => `${where} ${detail}${count > 1 ? ` (${count} such places)` : ''}.`
    problemCounts.note(code, '', describe, line, pointer + at)
  }
}
