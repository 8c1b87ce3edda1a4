/** Where a key leads in a list of this many rows, of which this many are in sight. Nothing where it leads nowhere. */
export function moveTo(key: string, current: number, rows: number, inSight: number): number | undefined {
  if (rows === 0) return undefined
  const steps: Record<string, number> = {
    j: current + 1,
    ArrowDown: current + 1,
    k: current - 1,
    ArrowUp: current - 1,
    PageDown: current + inSight,
    PageUp: current - inSight,
    Home: 0,
    End: rows - 1,
  }
  const to = steps[key]
  return to === undefined ? undefined : Math.max(0, Math.min(rows - 1, to))
}

/** The keys of all rows between two, in either order. */
export function range<Row>(rows: readonly Row[], keyOf: (row: Row) => string, from: number, to: number): string[] {
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(keyOf)
}

/** The row somebody is at: by its key, once they came to it by themselves, and where it stood. */
export type CurrentRow = { index: number; key?: string }

/** Where the current row is now. It stays the same one where rows come or go above it; once it has gone, it is the one in its place. */
export function placeOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string, { index, key }: CurrentRow): number {
  const nearest = Math.min(index, Math.max(0, rows.length - 1))
  const there = rows[nearest]
  if (key === undefined || (there !== undefined && keyOf(there) === key)) return nearest
  const moved = rows.findIndex((row) => keyOf(row) === key)
  return moved < 0 ? nearest : moved
}
