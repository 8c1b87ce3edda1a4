import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/actor.ts'
import type { Conditions } from './conditions.ts'
import { type Found, foundByIndex, foundByRepository } from './search.ts'

/** What one statement of a search came to; see `Found`. */
export type Stretch<Row> = { rows: Row[]; broad: boolean; upTo: number | null }

export type Search = {
  actor: Actor
  conditions: Conditions
  /** The first repository to look at. */
  from: number
  limit: number
  /** How many repositories the first step of a search takes that most repositories match. */
  width: { index: number; repository: number }
}

const growth = 8

/** Searches on until there are `limit` rows or no repository is left. Nearly always that is one step. */
export async function collect<Row>(
  search: Search,
  columns: Sql,
  step: (found: Found, limit: number) => Promise<Stretch<Row>>,
): Promise<Row[]> {
  const { actor, conditions, limit } = search
  let by: 'index' | 'repository' = conditions.packages || conditions.licences ? 'index' : 'repository'
  let place = { from: search.from, width: search.width[by] }
  const rows: Row[] = []
  for (;;) {
    const found = (by === 'index' ? foundByIndex : foundByRepository)(actor, conditions, place, columns)
    const stretch = await step(found, limit - rows.length)
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
