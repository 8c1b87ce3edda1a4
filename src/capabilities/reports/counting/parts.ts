/** What is counted: undefined means all there are. */
export type CountedSet = {
  repositories: readonly number[] | undefined
  rules: readonly number[] | undefined
  categories: readonly number[] | undefined
}

/** How many there are to choose from. */
export type Extent = { repositories: number; rules: number }

/** These, or all but these. */
export type Ids = { ids: readonly number[]; among: boolean }

/** One number that is added to the others or taken from them. */
export type Part = {
  sign: 1 | -1
  /** Counters know one kind of filter, the sheets of repositories or of rules know all. */
  from: 'counters' | Axis
  repositories: Ids | undefined
  rules: Ids | undefined
  /** How many repositories or rules are read; 0 where it is the whole. */
  count: number
  /** Which index leads to the findings of the ends of a period. */
  by: Way
}
export type Axis = 'repositories' | 'rules'
export type Way = 'time' | 'repository' | 'rule'

/** With more than these it is cheaper to read all findings of the two days that a period cuts. */
const mostLookups = 200

/** Where as much time goes into fetching the sheets as into reading them. */
const manySheets = 5_000

/**
 * What a report adds up. Most of the repositories or rules are counted as all less the others, so that whoever sees nearly
 * everything waits no longer than who sees everything. Both together are read from the sheets of whichever has the smaller
 * part to read.
 */
export function partsFor(wanted: CountedSet, extent: Extent): Part[] {
  const { repositories, rules } = wanted
  if (repositories && rules) return together(repositories, rules, wanted, extent)
  if (repositories) return alone('repositories', repositories, wanted, extent)
  if (rules) return alone('rules', rules, wanted, extent)
  return [all]
}

const all: Part = { sign: 1, from: 'counters', repositories: undefined, rules: undefined, count: 0, by: 'time' }
const ways = { repositories: 'repository', rules: 'rule' } as const satisfies Record<Axis, Way>
const others = { repositories: 'rules', rules: 'repositories' } as const satisfies Record<Axis, Axis>

function alone(axis: Axis, ids: readonly number[], { categories }: CountedSet, extent: Extent): Part[] {
  const among = ids.length * 2 <= extent[axis]
  const from = categories ? axis : 'counters'
  const part: Part = { ...all, ...reading(axis, { ids, among }, extent), from, [axis]: { ids, among } }
  return among ? [part] : [all, part]
}

function together(
  repositories: readonly number[],
  rules: readonly number[],
  wanted: CountedSet,
  extent: Extent,
): Part[] {
  const shares = {
    repositories: share(repositories.length, extent.repositories),
    rules: share(rules.length, extent.rules),
  }
  const choices = (['repositories', 'rules'] as const).flatMap((axis) => {
    const other = shares[others[axis]]
    // All less the others takes the whole as well, which counters know unless it is about categories.
    const whole = wanted.categories ? Math.min(other, 1 - other) : 0
    const read = (part: number) => part * (1 + extent[axis] / manySheets)
    return [
      { axis, among: true, cost: read(shares[axis]) },
      { axis, among: false, cost: read(1 - shares[axis]) + whole },
    ]
  })
  const { axis, among } = choices.reduce((best, one) => (one.cost < best.cost ? one : best))
  const ids = { repositories: { ids: repositories, among: true }, rules: { ids: rules, among: true } }
  ids[axis].among = among
  const part: Part = { ...ids, ...reading(axis, ids[axis], extent), from: axis }
  if (among) return [part]
  return [...alone(others[axis], ids[others[axis]].ids, wanted, extent), part]
}

function reading(axis: Axis, { ids, among }: Ids, extent: Extent): Pick<Part, 'sign' | 'count' | 'by'> {
  const count = among ? ids.length : extent[axis] - ids.length
  return { sign: among ? 1 : -1, count, by: count <= mostLookups ? ways[axis] : 'time' }
}

function share(count: number, total: number): number {
  return total === 0 ? 0 : Math.min(1, count / total)
}
