import type { Problem } from '../../format.ts'
import { entryProblem, quote } from '../../problem.ts'
import type { Finding } from '../finding.ts'
import { isAbsolute } from './file-path.ts'

/**
 * Notices logs whose files have absolute paths: these are other ones wherever else the tool runs, and so are the findings. Where
 * the root is known and some files are below it, the others (headers of the system, say) are not of the repository.
 */
export function createPathWatch(root: string | undefined) {
  let first: { path: string; line: number; pointer: string } | undefined
  let below = 0

  function see({ locations, line, pointer }: Finding): void {
    const path = locations[0]?.path ?? ''
    if (path === '' || path.includes('://')) return
    if (!isAbsolute(path)) below++
    else first ??= { path, line, pointer }
  }

  function problem(): Problem | undefined {
    if (!first || (root && below > 0)) return undefined
    const { path, line, pointer } = first
    const where = root ? `none is below the root ${quote(root, 200)}` : 'it is not said where the repository was'
    const detail = `Files have absolute paths, like ${quote(path, 200)}, and ${where}: say with 'root' where it was checked out when the tool ran.`
    return entryProblem('absolute-paths', detail, line, pointer)
  }

  return { see, problem }
}
