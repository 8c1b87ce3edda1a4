import type { Problem } from '../../format.ts'
import { entryProblem } from '../../problem.ts'
import type { Finding } from '../finding.ts'

/** Notices logs that point at code and do not have it: of equal findings nobody can then say which is which. */
export function createCodeWatch() {
  let first: { line: number; pointer: string } | undefined
  let count = 0

  function see({ lacksCode, line, pointer }: Finding): void {
    if (!lacksCode) return
    count++
    first ??= { line, pointer }
  }

  function problem(): Problem | undefined {
    if (!first) return undefined
    const { line, pointer } = first
    const detail = `This tool sends no code (${count} results): upload with the command line, beside the sources, so that decisions stay with their code.`
    return entryProblem('no-code', detail, line, pointer)
  }

  return { see, problem }
}
