import type { Conditions } from '../../inventory/public.ts'
import type { DependencyFilter, Transitivity } from '../contract.ts'
import { packageCriteria } from './criteria.ts'

const letters: Record<Transitivity, string> = { DIRECT: 'D', TRANSITIVE: 'T', UNKNOWN_TRANSITIVITY: 'U' }
const words = Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word]))

/** A filter in the words of the inventory. */
export async function conditionsOf(filter: DependencyFilter = {}): Promise<Conditions> {
  return {
    packages: await packageCriteria(filter),
    repositoryIds: given(filter.repositoryId),
    lockfilePath: filter.lockfilePath || undefined,
    // SPDX 2.3, annex D.2: ids match in any letter case; a plus says "or later" and is not part of the id.
    licences: given(filter.license?.map((id) => id.toLowerCase().replace(/\+$/, ''))),
    transitivity: given(filter.transitivity?.map((word) => letters[word])),
    includeArchived: filter.includeArchived ?? false,
  }
}

export function transitivityWord(letter: string): Transitivity {
  return words[letter] as Transitivity
}

function given<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined
}
