import { type Conditions, isSearchedByIndex } from './conditions.ts'
import type { SearchRange } from './search.ts'

/** What one statement of a search came to; see `Found`. */
export type SearchStep<Row> = { rows: Row[]; broad: boolean; upTo: number | null }

/** By the index of what is asked for, or repository by repository. */
type SearchPlan = 'index' | 'repository'

type Search = {
  conditions: Conditions
  /** The first repository to look at. */
  from: number
  limit: number
  /** How many repositories the first step of a search takes that most repositories match. */
  width: Record<SearchPlan, number>
}

const growth = 8

/** Searches on until there are `limit` rows or no repository is left. Nearly always that is one step. */
export async function searchInSteps<Row>(
  search: Search,
  step: (by: SearchPlan, place: SearchRange, limit: number) => Promise<SearchStep<Row>>,
): Promise<Row[]> {
  const { conditions, limit } = search
  let by: SearchPlan = isSearchedByIndex(conditions) ? 'index' : 'repository'
  let place = { from: search.from, width: search.width[by] }
  const rows: Row[] = []
  for (;;) {
    const stretch = await step(by, place, limit - rows.length)
    if (stretch.broad) {
      by = 'repository'
      place = { from: place.from, width: search.width.repository }
      continue
    }
    rows.push(...stretch.rows)
    if (rows.length >= limit || stretch.upTo === null) return rows
    place = { from: stretch.upTo + 1, width: place.width * growth }
  }
}
