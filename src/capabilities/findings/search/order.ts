import sql, { empty, raw, type Sql } from 'sql-template-tag'

/** What one finding is ranked by alone; the names of repositories and rules are another matter: `name-order-store.ts`. */
export type Order = { by: 'raisedAt' | 'severity' | 'stateChangedAt' | 'path'; direction: 'asc' | 'desc' }

/** A place in an order: where the page before ended; `path` as `pathKey` gives it. */
export type Position = { severity: number; at: Date; stateAt: Date; path: string; id: number }

/** What of a finding (`f`) its rank needs. */
export const rankedBy: Record<Order['by'], Sql> = {
  raisedAt: sql`f.raised_at`,
  severity: sql`f.severity, f.raised_at`,
  stateChangedAt: sql`f.state_at`,
  path: sql`f.path`,
}

export function ranks(row: Sql, { by, direction }: Order): Sql {
  const way = direction === 'asc' ? sql`asc` : sql`desc`
  const keys = {
    raisedAt: sql`${row}.raised_at ${way}`,
    severity: sql`${row}.severity ${way}, ${row}.raised_at ${way}`,
    stateChangedAt: sql`${row}.state_at ${way}`,
    path: sql`${pathOf(row)} ${way}`,
  }
  return sql`${keys[by]}, ${row}.id ${way}`
}

/** What is behind one place and not behind another, which is included. */
export type Stretch = { after: Position | undefined; end: Position | undefined }

export function signsOf({ direction }: Order): { beyond: Sql; upTo: Sql } {
  return direction === 'asc' ? { beyond: sql`>`, upTo: sql`<=` } : { beyond: sql`<`, upTo: sql`>=` }
}

/** Whether a finding (`f`) is on it. */
export function between({ after, end }: Stretch, order: Order): Sql {
  const { beyond, upTo } = signsOf(order)
  return sql`${after ? compared(after, beyond, order) : empty} ${end ? compared(end, upTo, order) : empty}`
}

function compared({ severity, at, stateAt, path, id }: Position, sign: Sql, { by }: Order): Sql {
  const keys = {
    raisedAt: sql`and (f.raised_at, f.id) ${sign} (${at}::timestamptz, ${id}::bigint)`,
    severity: sql`and (f.severity, f.raised_at, f.id) ${sign} (${severity}::smallint, ${at}::timestamptz, ${id}::bigint)`,
    stateChangedAt: sql`and (f.state_at, f.id) ${sign} (${stateAt}::timestamptz, ${id}::bigint)`,
    path: sql`and (${pathOf(sql`f`)}, f.id) ${sign} (${path}::text collate "C", ${id}::bigint)`,
  }
  return keys[by]
}

/** An entry of an index has room for no more. */
const pathLength = 200

const pathOf = (row: Sql): Sql => sql`left(${row}.path, ${raw(String(pathLength))}) collate "C"`

/** What `pathOf` makes of a path: characters are counted as PostgreSQL does. */
export function pathKey(path: string): string {
  return path.length <= pathLength ? path : [...path].slice(0, pathLength).join('')
}

const limits = [11, 51, 101].map((count) => ({ count, literal: raw(String(count)) }))

/** At least this many, as one of a few numbers that are part of the statement, so that it is planned for them. */
export function atLeast(count: number): Sql {
  const limit = limits.find((each) => each.count >= count)
  if (!limit) throw new Error(`pages of ${count} are not read`)
  return limit.literal
}
