import type { Problem } from '../../format.ts'
import { entryProblem } from '../../problem.ts'
import type { Finding } from '../finding.ts'

/** Notices logs that have something else in place of the secrets: nobody can then say whether a secret is still the same. */
export function createSecretWatch() {
  let first: { line: number; pointer: string } | undefined
  let count = 0

  function see({ hidesSecret, line, pointer }: Finding): void {
    if (!hidesSecret) return
    count++
    first ??= { line, pointer }
  }

  function problem(): Problem | undefined {
    if (!first) return undefined
    const detail = `This tool hides the secrets (${count} results), so a secret that takes the place of another is taken for it, with what was decided. Have the tool write them into the log: they are not stored.`
    return entryProblem('hidden-secrets', detail, first.line, first.pointer)
  }

  return { see, problem }
}
