import type { Problem } from '../format.ts'
import { fatalProblem, quote } from '../problem.ts'

/** The minor version of a CycloneDX 1.x document, or why it is not read. */
export function minorVersion(written: unknown, oldest: number): number | Problem {
  const read = `1.${oldest} to 1.7`
  if (typeof written !== 'string') {
    return fatalProblem('missing-version', `The specVersion is missing; CycloneDX ${read} are read.`)
  }
  const minor = /^1\.(\d)$/.exec(written)
  if (minor && Number(minor[1]) >= oldest && Number(minor[1]) <= 7) return Number(minor[1])
  return fatalProblem('unsupported-version', `CycloneDX ${quote(written)} is not read; ${read} are.`, 0, '/specVersion')
}
