import type { Queryable } from '../../kernel/database/database.ts'
import { describeEntries, filesWith, readGraph, shortestPaths } from '../inventory/public.ts'
import type { DependencyPath, PathQuestion } from './contract.ts'
import { packageCriteria } from './search/criteria.ts'

const defaultLimit = 20
/** A repository may have thousands of files with the same package, and each costs reading its graph. */
const mostFiles = 200
/** Of all paths together; real ones have ten at most. */
const mostSteps = 10_000

/** For each direct dependency the shortest path to the package, in each file that tells. */
export async function findPaths(db: Queryable, repositoryId: number, question: PathQuestion) {
  const limit = question.limit ?? defaultLimit
  const paths: DependencyPath[] = []
  let steps = 0
  let hasMore = false
  const { lockfilePath } = question
  const files = await filesWith(db, repositoryId, await criteriaOf(question), { lockfilePath, limit: mostFiles })
  for (const { id, targets } of files) {
    const file = await readGraph(db, repositoryId, id)
    // It may have gone with an upload since; then it has no paths any more.
    if (!file) continue
    const left = { paths: limit + 1, steps: mostSteps - steps }
    const found = await shortestPaths(file.graph, file.directs, new Set(targets), left)
    hasMore ||= found.hasMore
    const shown = await describeEntries(db, repositoryId, id, new Set(found.paths.flat()))
    for (const path of found.paths) {
      steps += path.length
      if (path.every((ordinal) => shown.has(ordinal)))
        paths.push({ lockfilePath: file.path, steps: path.map((ordinal) => shown.get(ordinal)!) })
    }
  }
  paths.sort((a, b) => a.steps.length - b.steps.length)
  return { paths: paths.slice(0, limit), truncated: hasMore || paths.length > limit }
}

async function criteriaOf({ name, version, ecosystem }: PathQuestion) {
  const target = { name, exactNameMatch: true, ...(version && { exactVersion: version }) }
  const criteria = await packageCriteria({ packageFilters: [target], ...(ecosystem && { ecosystem: [ecosystem] }) })
  return criteria!
}
