import { plural } from '../ui/text/words.ts'
import type { Decidable } from './use-triage.ts'

/** Many that are decided about as a whole, by a filter. `ids`: those of them that are rows of the list too. */
export type Group = { key: string; total: number; filter: unknown; ids?: readonly string[] }
/** What a decision is about. All that a list matches, also what is not loaded, are a group too. */
export type Targets = { rows: readonly Decidable[]; groups: readonly Group[] }

type Keys = ReadonlySet<string>

/** What is selected, each of it once: a row whose group is selected counts with the group. */
export function targetsAmong(keys: Keys, rows: readonly Decidable[], groups: readonly Group[]): Targets {
  const many = groups.filter((group) => keys.has(group.key))
  const inside = new Set(many.flatMap((group) => group.ids ?? []))
  return { rows: rows.filter((row) => keys.has(row.id) && !inside.has(row.id)), groups: many }
}

/** Without the groups of which somebody took a row out: they would be decided about with that row. */
export function withoutBrokenGroups(before: Keys, next: Keys, groups: readonly Group[]): Keys {
  const isBroken = ({ ids = [] }: Group) => ids.some((id) => before.has(id) && !next.has(id))
  const broken = new Set(groups.filter(isBroken).map((group) => group.key))
  return new Set([...next].filter((key) => !broken.has(key)))
}

/** The server takes no more in one request, and a group is decided about by one. */
const mostInGroup = 10_000

/** Why they cannot be decided about at once; undefined where they can. */
export function tooMany({ groups }: Targets, kind: string): string | undefined {
  const large = groups.find((group) => group.total > mostInGroup)
  if (!large) return undefined
  const most = mostInGroup.toLocaleString('en')
  return `Not done: ${plural(large.total, kind)} are selected, and at most ${most} are decided about at once. Narrow the filter.`
}

export function countOf({ rows, groups }: Targets): number {
  return groups.reduce((sum, group) => sum + group.total, rows.length)
}
