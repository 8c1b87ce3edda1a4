/** What is counted: undefined means all there are. */
export type Wanted = {
  repositories: readonly number[] | undefined
  rules: readonly number[] | undefined
  categories: readonly number[] | undefined
}

/** How many there are to choose from. */
export type Extent = { repositories: number; rules: number }

/** These, or all but these. */
export type Ids = { ids: readonly number[]; among: boolean }

/** One number that is added to the others or taken from them. Counters know rules or repositories, not both together. */
export type Part = {
  sign: 1 | -1
  from: 'counters' | 'findings'
  repositories: Ids | undefined
  rules: Ids | undefined
  /** Which index leads to the findings that are read. */
  by: Way
}
export type Way = 'time' | 'repository' | 'rule'

/** With more than these it is cheaper to read all findings of the two days that a period cuts. */
const mostLookups = 200

/** Against reading by repository: the indexes by rule leave out what a report does not count. */
const costByRule = 0.6

/**
 * What a report adds up. Most of the repositories or rules are counted as all less the others, so that whoever sees nearly
 * everything waits no longer than who sees everything. Repositories and rules together are counted finding by finding,
 * along whichever has the smaller part to read.
 */
export function partsFor({ repositories, rules }: Wanted, extent: Extent): Part[] {
  if (repositories && rules) return together(repositories, rules, extent)
  if (repositories) return alone('repositories', repositories, extent.repositories)
  if (rules) return alone('rules', rules, extent.rules)
  return [all]
}

type Axis = 'repositories' | 'rules'

const all: Part = { sign: 1, from: 'counters', repositories: undefined, rules: undefined, by: 'time' }
const ways = { repositories: 'repository', rules: 'rule' } as const satisfies Record<Axis, Way>

function alone(axis: Axis, ids: readonly number[], total: number): Part[] {
  const among = ids.length * 2 <= total
  const count = among ? ids.length : total - ids.length
  const by = count <= mostLookups ? ways[axis] : 'time'
  const part: Part = { ...all, sign: among ? 1 : -1, [axis]: { ids, among }, by }
  return among ? [part] : [all, part]
}

function together(repositories: readonly number[], rules: readonly number[], extent: Extent): Part[] {
  const repositoryShare = share(repositories.length, extent.repositories)
  const ruleShare = share(rules.length, extent.rules)
  const axis: Axis = lesser(repositoryShare) < lesser(ruleShare) * costByRule ? 'repositories' : 'rules'
  const among = (axis === 'repositories' ? repositoryShare : ruleShare) <= 0.5
  const ids = {
    repositories: { ids: repositories, among: axis === 'repositories' ? among : true },
    rules: { ids: rules, among: axis === 'rules' ? among : true },
  }
  const part: Part = { sign: among ? 1 : -1, from: 'findings', ...ids, by: ways[axis] }
  if (among) return [part]
  const whole =
    axis === 'repositories'
      ? alone('rules', rules, extent.rules)
      : alone('repositories', repositories, extent.repositories)
  return [...whole, part]
}

/** Of these and all others. */
function lesser(part: number): number {
  return Math.min(part, 1 - part)
}

function share(count: number, total: number): number {
  return total === 0 ? 0 : Math.min(1, count / total)
}
