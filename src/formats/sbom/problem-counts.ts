import type { Problem } from '../format.ts'
import { entryProblem } from '../problem.ts'

export type ProblemCounts = {
  /** `kind` tells apart what is counted separately under one code; '' where there is only one kind. */
  note(code: string, kind: string, describe: (count: number) => string, line?: number, pointer?: string): void
  problems(): Problem[]
}

const maximumKinds = 100

/** Counts what was left out or is odd: one problem per kind, at its first place, however often it occurs. */
export function createProblemCounts(): ProblemCounts {
  type Noted = { code: string; describe: (count: number) => string; count: number; line: number; pointer: string }
  const noted = new Map<string, Noted>()

  function note(code: string, kind: string, describe: Noted['describe'], line = 0, pointer = ''): void {
    const known = noted.get(`${code} ${kind}`)
    if (known) known.count += 1
    // Codes are few, but a document may make up as many kinds as it likes: the rest of them share one line.
    else if (kind !== '' && noted.size >= maximumKinds) {
      note(code, '', (count) => `${count} more of other kinds.`, line, pointer)
    } else noted.set(`${code} ${kind}`, { code, describe, count: 1, line, pointer })
  }

  const problems = () =>
    [...noted.values()].map(({ code, describe, count, line, pointer }) =>
      entryProblem(code, describe(count), line, pointer),
    )

  return { note, problems }
}
