type Sized = { width: string; narrow?: string; from?: number }

/** Below this width a list is one on a telephone. */
const narrowPx = 480

/** The columns that a list of this many pixels has room for, each with its track. What is further right gives way first. */
export function columnsFor<C extends Sized>(columns: readonly C[], listPx: number, isPicked: boolean): C[] {
  const isNarrow = listPx < narrowPx
  const [gap, padding] = isNarrow ? [10, 24] : [16, 32]
  let left = listPx - padding - (isPicked ? 24 + gap : 0)
  const shown: C[] = []
  for (const column of columns) {
    if (listPx < (column.from ?? 0)) continue
    const width = isNarrow ? (column.narrow ?? column.width) : column.width
    left -= leastPx(width) + (shown.length > 0 ? gap : 0)
    // The first two say what a row is.
    if (left < 0 && shown.length > 1) break
    shown.push({ ...column, width })
  }
  return shown
}

/** `84px` and `minmax(84px, 2fr)` take 84 at least. */
function leastPx(track: string): number {
  return Number(/(\d+)px/.exec(track)?.[1] ?? 0)
}
