import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type FirstRepositories, firstRepositories } from '../packages/wanted-repositories.ts'
import type { Conditions, PackageCriteria } from '../search/conditions.ts'
import { type Differences, readDifferences } from './differences.ts'

/**
 * How packages are counted for one question: by the sums of the deployment and what differs from them, by the lists of packages
 * that some repositories have, by the dependencies of these, or along the index of what is asked for.
 */
export type CountingWay =
  | { by: 'sums'; differences: Differences }
  | ({ by: 'lists' | 'rows' } & FirstRepositories)
  | { by: 'index'; packages: PackageCriteria }

/** In the order in which they are tried: along an index there may turn out to be too many. `known` is asked of single versions. */
export async function* countingWays(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  known: boolean,
  most: number,
): AsyncGenerator<CountingWay> {
  if (!known && takesWholePackages(conditions)) {
    const differences = await readDifferences(db, actor, conditions, most)
    if (differences) yield { by: 'sums', differences }
    else yield { by: 'lists', ...(await firstRepositories(db, actor, conditions, most)) }
    return
  }
  if (!known && conditions.packages) yield { by: 'index', packages: conditions.packages }
  yield { by: 'rows', ...(await firstRepositories(db, actor, conditions, most)) }
}

/** Whether nothing is asked of single dependencies or versions. */
function takesWholePackages({ packages, lockfilePath, licences, transitivity }: Conditions): boolean {
  return lockfilePath === undefined && !licences && !transitivity && !packages?.narrowsVersions
}
