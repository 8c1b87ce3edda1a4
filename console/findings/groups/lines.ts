import type { Finding } from '../../../src/capabilities/findings/finding.ts'
import type { FindingGroup, Grouping } from '../../../src/capabilities/findings/search/group-contract.ts'
import type { Body } from '../../api/contracts.ts'
import { writePackage } from '../../app/address/filter.ts'

export type FindingFilter = NonNullable<Body<'searchFindings'>['filter']>

/** What the list can be grouped by, in the words of the address and of the API. */
export const groupings: readonly { by: Grouping; label: string }[] = [
  { by: 'rule', label: 'Rule' },
  { by: 'vulnerability', label: 'Vulnerability' },
  { by: 'package', label: 'Package' },
  { by: 'repository', label: 'Repository' },
  { by: 'path', label: 'Path' },
]

export function groupingOf(word: string | undefined): Grouping | undefined {
  return groupings.find((each) => each.by === word)?.by
}

const groupSorts = ['severity', 'count', 'oldest'] as const
export type GroupSort = (typeof groupSorts)[number]

export function groupSortOf(word: string | undefined): GroupSort {
  return groupSorts.find((each) => each === word) ?? 'severity'
}

/** What a group is called in the address: a package by its ecosystem too, since several have one of that name. */
export function wordOfGroup(by: Grouping, { value, label }: Pick<FindingGroup, 'value' | 'label'>): string {
  return by === 'package' ? writePackage({ name: value, ecosystem: label }) : value
}

/** Exactly the findings of a group: what was asked for and what they have in common. */
export function filterOfGroup(asked: FindingFilter, group: FindingFilter): FindingFilter {
  // A package may have been asked for with its version, which a group does not name.
  const dependency = group.dependency && { ...asked.dependency, ...group.dependency }
  return { ...asked, ...group, ...(dependency && { dependency }) }
}

export type Line =
  | { key: string; kind: 'group'; group: FindingGroup; word: string; expanded: boolean }
  | { key: string; kind: 'finding'; finding: Finding }
  | { key: string; kind: 'more'; word: string; left: number }

/** What of a group is here. */
export type Members = { findings: readonly Finding[]; isPending: boolean }

/** Groups with the findings of those that are open below them, as rows of one list. */
export function linesOf(
  by: Grouping,
  groups: readonly FindingGroup[],
  open: ReadonlySet<string>,
  members: ReadonlyMap<string, Members>,
): Line[] {
  return groups.flatMap((group): Line[] => {
    const word = wordOfGroup(by, group)
    const expanded = open.has(word)
    const head: Line = { key: `group ${word}`, kind: 'group', group, word, expanded }
    const inside = expanded ? members.get(word) : undefined
    if (!inside) return [head]
    const rows = inside.findings.map((finding): Line => ({ key: finding.id, kind: 'finding', finding }))
    const left = group.total - rows.length
    if (left <= 0 || (inside.isPending && rows.length === 0)) return [head, ...rows]
    return [head, ...rows, { key: `more ${word}`, kind: 'more', word, left }]
  })
}
