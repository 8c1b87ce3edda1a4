import { quote } from '../problem.ts'
import type { Fault } from './shape.ts'
import type { Tally } from './tally.ts'

export type DocumentPosition = { line: number; pointer: string }

/** One problem for each sort of fault, at its first place. */
export function faults(tally: Tally, { line, pointer }: DocumentPosition): Fault {
  return (code, at, detail) => {
    const where = quote(pointer + at, 120)
    const describe = (count: number) => `${where} ${detail}${count > 1 ? ` (${count} such places)` : ''}.`
    tally.note(code, '', describe, line, pointer + at)
  }
}
