import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import type { CountedSet } from '../counting/parts.ts'
import { type CountedGroup, countGroupsByDays } from './day-store.ts'
import { ageOf, type Rate, rateFor, splitBySize, timeToFixOf } from './sample.ts'
import type { TrendGroup, Trends } from './trend-contract.ts'
import { countGroups, type GroupRow } from './trend-store.ts'

const mostRows = 200
const mostLookups = 500

export type Asked = { by: TrendGroup; at: Date; buckets: readonly Period[] }
type Rows = Pick<Trends, 'rows' | 'moreRows' | 'rowMediansOf'>

export async function rowsByFindings(reader: Queryable, wanted: CountedSet, asked: Asked): Promise<Rows> {
  const groups = await countGroups(reader, { ...wanted, rate: 1 }, asked)
  return {
    rows: groups.slice(0, mostRows).map((group) => shown(group, group)),
    moreRows: Math.max(0, groups.length - mostRows),
    rowMediansOf: 1,
  }
}

/** Small ones are read whole, the others by one finding in this many; undefined while days are due. */
export async function rowsByDays(reader: Queryable, wanted: CountedSet, asked: Asked): Promise<Rows | undefined> {
  const groups = await countGroupsByDays(reader, wanted.repositories, asked)
  if (!groups) return undefined
  const listed = groups.slice(0, mostRows)
  const { whole, drawn } = splitBySize(listed)
  const rate = rateFor(drawn.reduce((sum, group) => sum + group.findings, 0))
  const medians = new Map<string, GroupRow>()
  for (const [some, of] of [
    [whole, 1],
    [drawn, rate],
  ] as const) {
    for (const row of await mediansOf(reader, wanted, asked, some, of)) medians.set(row.key, row)
  }
  return {
    rows: listed.map((group) => shown(group, medians.get(group.key))),
    moreRows: groups.length - listed.length,
    rowMediansOf: drawn.length > 0 ? rate : 1,
  }
}

async function mediansOf(
  reader: Queryable,
  wanted: CountedSet,
  asked: Asked,
  groups: readonly CountedGroup[],
  rate: Rate,
): Promise<GroupRow[]> {
  if (groups.length === 0) return []
  const own = new Set(groups.flatMap((group) => group.repositories.map(Number)))
  const keys = new Set(groups.map((group) => group.key))
  const some = wanted.repositories ? wanted.repositories.filter((id) => own.has(id)) : [...own]
  // A sample of all is read sooner than one of so many after the other.
  const repositories = rate > 1 && some.length > mostLookups ? wanted.repositories : some
  const rows = await countGroups(reader, { ...wanted, repositories, rate }, asked)
  return rows.filter((row) => keys.has(row.key))
}

function shown(group: { key: string; name: string; open: number; fixed: number }, by: GroupRow | undefined) {
  const { key, name, open, fixed } = group
  return {
    key,
    name,
    open,
    ...ageOf(open, by?.open ? by.age : undefined),
    fixed,
    ...timeToFixOf(fixed, by?.fixed ? by.median : undefined),
  }
}
