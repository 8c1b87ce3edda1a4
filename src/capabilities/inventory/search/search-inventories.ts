import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type Conditions, takesEveryDependency } from './conditions.ts'
import { type DependencyRow, type ListPosition, listByIndex, listByRepository } from './list-store.ts'
import { countedByIndex, countedByPartOfName, countedByRepository, type SearchRange } from './search.ts'
import { searchInSteps } from './search-in-steps.ts'
import { asksForPartsOfNames } from './sql-conditions.ts'
import { listInventories, listSummaries, type SummaryRow } from './summary-store.ts'

/** The repositories from this id on that have what is asked for, and how many dependencies each. */
export async function searchRepositories(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  { from, limit }: { from: number; limit: number },
): Promise<SummaryRow[]> {
  if (takesEveryDependency(conditions)) return listInventories(db, actor, conditions, from, limit)
  const { packages } = conditions
  // Of licences it is known which repositories have one, so a page of them is enough.
  const width = { index: packages ? limit * 4 : limit, repository: limit }
  const search = { conditions, from, limit, width }
  const byIndex = (place: SearchRange, most: number) =>
    packages && asksForPartsOfNames(packages)
      ? countedByPartOfName(actor, { ...conditions, packages }, place, most)
      : countedByIndex(actor, conditions, place)
  return searchInSteps(search, (by, place, most) => {
    const counted = by === 'index' ? byIndex(place, most) : countedByRepository(actor, conditions, place, most)
    return listSummaries(db, actor, conditions, counted, most)
  })
}

/** A page of the dependencies that match, and one more. */
export function searchDependencies(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  { after, size }: { after: ListPosition; size: number },
): Promise<DependencyRow[]> {
  // A repository has some hundred dependencies, of which about one is a given package: few or many fill a page.
  const few = Math.ceil(size / 25)
  const width = { index: conditions.packages ? size * 2 : few, repository: few }
  const search = { conditions, from: after.repositoryId, limit: size + 1, width }
  return searchInSteps(search, (by, place, most) => {
    const query = { actor, conditions, place, after, limit: most }
    return (by === 'index' ? listByIndex : listByRepository)(db, query)
  })
}
