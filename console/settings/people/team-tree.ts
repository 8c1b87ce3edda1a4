export type TeamLike = { id: string; name: string; parentTeamId: string }
export type TreeRow<T> = { team: T; depth: number }

/** A tree of teams has this many levels. */
export const mostLevels = 3

/** The teams in the order of their tree, each below its parent, by name. One whose parent is not visible stands at the top. */
export function treeOf<T extends TeamLike>(teams: readonly T[]): TreeRow<T>[] {
  const known = new Set(teams.map((team) => team.id))
  const parentOf = (team: T) => (known.has(team.parentTeamId) ? team.parentTeamId : '')
  const below = Map.groupBy(teams, parentOf)
  const rows: TreeRow<T>[] = []
  const seen = new Set<string>()
  const add = (parent: string, depth: number) => {
    const children = [...(below.get(parent) ?? [])].sort((a, b) => a.name.localeCompare(b.name, 'en'))
    for (const team of children) {
      if (seen.has(team.id)) continue
      seen.add(team.id)
      rows.push({ team, depth })
      add(team.id, depth + 1)
    }
  }
  add('', 0)
  return rows
}
