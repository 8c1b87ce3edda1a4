import type { Decidable } from './use-triage.ts'

/** Many that are decided about as a whole, by a filter. */
export type Group = { key: string; total: number; filter: unknown }
/** What a decision is about. All that a list matches, also what is not loaded, are a group too. */
export type Targets = { rows: readonly Decidable[]; groups: readonly Group[] }

export function targetsAmong(
  keys: ReadonlySet<string>,
  rows: readonly Decidable[],
  groups: readonly Group[] = [],
): Targets {
  return { rows: rows.filter((row) => keys.has(row.id)), groups: groups.filter((group) => keys.has(group.key)) }
}

export function countOf({ rows, groups }: Targets): number {
  return groups.reduce((sum, group) => sum + group.total, rows.length)
}
