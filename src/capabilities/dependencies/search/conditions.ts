import type { DependencyFilter, Transitivity } from '../contract.ts'
import { type PackageCriteria, packageCriteria } from './criteria.ts'

/** A filter in our own words; what is undefined asks for nothing. */
export type Conditions = {
  packages: PackageCriteria | undefined
  repositoryIds: readonly number[] | undefined
  lockfilePath: string | undefined
  /** SPDX ids in lower case. */
  licences: readonly string[] | undefined
  /** As the database writes it. */
  transitivity: readonly string[] | undefined
  includeArchived: boolean
}

const letters: Record<Transitivity, string> = { DIRECT: 'D', TRANSITIVE: 'T', UNKNOWN_TRANSITIVITY: 'U' }
const words = Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word]))

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

/** Whether only repositories are asked for, whatever their dependencies. */
export function takesEveryDependency({ packages, lockfilePath, licences, transitivity }: Conditions): boolean {
  return !packages && !lockfilePath && !licences && !transitivity
}

export function transitivityWord(letter: string): Transitivity {
  return words[letter] as Transitivity
}

function given<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined
}
