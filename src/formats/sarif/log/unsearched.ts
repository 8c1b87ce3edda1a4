import type { Problem } from '../../format.ts'
import { entryProblem, quote } from '../../problem.ts'
import { createLocations } from './location.ts'
import type { Run } from './run.ts'

/** The files that a run says it could not search to their end, by the paths that their findings have. */
export function unsearchedPaths(run: Run, root?: string): string[] {
  const { path } = createLocations(run, root)
  return [...new Set(run.unsearched.map(path))].filter((one) => one !== '')
}

const mostNamed = 5

export function notSearched(paths: readonly string[], pointer = ''): Problem {
  const named = paths.slice(0, mostNamed).map((path) => quote(path, 200))
  const more = paths.length > mostNamed ? `, and ${paths.length - mostNamed} more` : ''
  const files = paths.length === 1 ? 'a file' : `${paths.length} files`
  const detail = `The tool could not search ${files} to the end: ${named.join(', ')}${more}. What was found there before does not become fixed.`
  return entryProblem('not-searched', detail, 0, pointer)
}
