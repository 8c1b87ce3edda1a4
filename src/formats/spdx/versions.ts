import type { Problem } from '../format.ts'
import { fatalProblem, quote } from '../problem.ts'

const read = 'SPDX-2.2 and SPDX-2.3'

/** Undefined where a document of this version is read. */
export function refuseVersion(written: unknown, line: number): Problem | undefined {
  if (written === 'SPDX-2.2' || written === 'SPDX-2.3') return undefined
  if (typeof written !== 'string')
    return fatalProblem('missing-version', `The SPDX version is missing; ${read} are read.`)
  return fatalProblem('unsupported-version', `SPDX version ${quote(written)} is not read; ${read} are.`, line)
}
