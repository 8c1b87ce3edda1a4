import type { Period } from '../../../kernel/time/time-buckets.ts'

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
  /** Counters know one filter: repositories, rules or categories. */
  from: 'counters' | 'findings'
  repositories: Ids | undefined
  rules: Ids | undefined
  /** What is read one by one, how many of them, and which share of all. */
  along: Axis | undefined
  count: number
  share: number
}
export type Axis = 'repositories' | 'rules'
export type Way = 'time' | 'repository' | 'rule'

const axes = ['repositories', 'rules'] as const
const whole: Part = {
  ...{ sign: 1, from: 'counters', repositories: undefined, rules: undefined },
  ...{ along: undefined, count: 0, share: 0 },
}

/**
 * What a report adds up. Most of the repositories or rules are counted as the report without that filter, less the others, so
 * that whoever sees nearly everything waits no longer than who sees everything; whichever way reads less.
 */
export function partsFor(wanted: CountedSet, extent: Extent): Part[] {
  const filters = axes.filter((axis) => wanted[axis]).sort((one, other) => extent[one] - extent[other])
  const ways = filters.flatMap((axis) => [
    [partAlong(axis, true, wanted, extent)],
    [...partsFor({ ...wanted, [axis]: undefined }, extent), partAlong(axis, false, wanted, extent)],
  ])
  if (ways.length === 0) return [whole]
  return ways.reduce((least, way) => (amountRead(way) < amountRead(least) ? way : least))
}

function partAlong(along: Axis, among: boolean, { repositories, rules, categories }: CountedSet, extent: Extent): Part {
  const wanted = {
    repositories: repositories && { ids: repositories, among: true },
    rules: rules && { ids: rules, among: true },
  }
  wanted[along]!.among = among
  const filters = [repositories, rules, categories].filter((filter) => filter !== undefined)
  const named = wanted[along]!.ids.length
  const count = among ? named : Math.max(0, extent[along] - named)
  const share = extent[along] === 0 ? 0 : Math.min(1, count / extent[along])
  return { ...wanted, sign: among ? 1 : -1, from: filters.length > 1 ? 'findings' : 'counters', along, count, share }
}

/** There are some ten times as many findings as counters. */
function amountRead(parts: readonly Part[]): number {
  return parts.reduce((sum, { from, share }) => sum + (from === 'findings' ? share : share / 10), 0)
}

/** Looking up as many takes as long as reading all findings of a day. */
const lookupsPerDay = 200
const dayMs = 86_400_000

/** Which index leads to the findings of a part. */
export function wayTo({ along, count }: Pick<Part, 'along' | 'count'>, periods: readonly Period[]): Way {
  const days = periods.reduce((sum, { since, until }) => sum + (until.getTime() - since.getTime()) / dayMs, 0)
  if (!along || count > lookupsPerDay * Math.max(1, days)) return 'time'
  return along === 'repositories' ? 'repository' : 'rule'
}

/** Which index leads to exactly what is wanted, none of it as all but the others. */
export function wayAmong({ repositories, rules }: CountedSet, periods: readonly Period[]): Way {
  const [one, other] = [repositories?.length ?? Number.POSITIVE_INFINITY, rules?.length ?? Number.POSITIVE_INFINITY]
  if (!repositories && !rules) return 'time'
  return wayTo({ along: one <= other ? 'repositories' : 'rules', count: Math.min(one, other) }, periods)
}
