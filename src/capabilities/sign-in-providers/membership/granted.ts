import { type Role, roles } from '../../../kernel/access/permission.ts'
import type { GroupMapping } from '../contract.ts'

export type Granted = {
  /** Undefined: none of the groups gives one, and there is no default. */
  role: Role | undefined
  /** Whether roles follow the groups; otherwise the role is for new people alone. */
  followsGroups: boolean
  /** The teams that the mapping is about, and those of them that the groups give. */
  managedTeams: number[]
  teams: number[]
}

/** What somebody gets who is in these groups: the highest role of all, and the teams of each. */
export function grantedTo(
  groups: readonly string[],
  { mapping, defaultRole }: { mapping: readonly GroupMapping[]; defaultRole: Role | null },
): Granted {
  const own = mapping.filter(({ group }) => groups.includes(group))
  const given = own.flatMap(({ role }) => role ?? [])
  const highest = roles.findLast((role) => given.includes(role))
  return {
    role: highest ?? defaultRole ?? undefined,
    followsGroups: mapping.some(({ role }) => role !== null),
    managedTeams: unique(mapping.flatMap(({ teams }) => teams)),
    teams: unique(own.flatMap(({ teams }) => teams)),
  }
}

function unique(ids: number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}
