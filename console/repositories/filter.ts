import type { Field } from '../app/address/filter.ts'

/** Every filter of the list: its name in the address, and what the API calls it. */
export const repositoryFields: readonly Field[] = [
  { key: 'team', label: 'Team', wire: 'teams', kind: 'texts', pinned: true },
  { key: 'tag', label: 'Tag', wire: 'tags', kind: 'texts', pinned: true },
  { key: 'exposed', label: 'Publicly exposed', wire: 'publiclyExposed', kind: 'flag', pinned: true },
  { key: 'blocked', label: 'Blocked pull requests', wire: 'blocked', kind: 'flag' },
  { key: 'unscanned', label: 'Never scanned', wire: 'neverScanned', kind: 'flag' },
  { key: 'archived', label: 'Archived', wire: 'archived', kind: 'flag' },
  { key: 'text', label: 'Name', wire: 'text', kind: 'text' },
]

/** What else may stand in the address of the list. */
export const reserved = ['sort'] as const

const sorts = ['name', 'severity', 'open', 'dependencies', 'lastScan', 'blocked'] as const
export type RepositorySort = { by: (typeof sorts)[number]; direction: 'asc' | 'desc' }

/** Without a word, what is worst comes first. */
export function readSort(text: string | undefined): RepositorySort {
  const [word, given] = (text ?? '').split('-')
  const by = sorts.find((each) => each === word) ?? 'severity'
  const direction = given === 'asc' || given === 'desc' ? given : usualDirection(by)
  return { by, direction }
}

export function writeSort({ by, direction }: { by: string; direction: 'asc' | 'desc' }): string[] {
  const known = sorts.find((each) => each === by) ?? 'severity'
  const word = direction === usualDirection(known) ? known : `${known}-${direction}`
  return word === 'severity' ? [] : [word]
}

function usualDirection(by: RepositorySort['by']): 'asc' | 'desc' {
  return by === 'name' ? 'asc' : 'desc'
}
