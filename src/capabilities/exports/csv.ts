export type Cell = string | number | boolean | readonly string[] | null

/** One line of CSV (RFC 4180). A list is one cell with its entries apart by spaces; null is empty. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

/**
 * What a spreadsheet would take for a formula is disarmed by an apostrophe: a message comes from whoever writes code, and
 * is opened by whoever reads reports.
 */
function cellOf(cell: Cell): string {
  if (typeof cell === 'number') return String(cell)
  const text = Array.isArray(cell) ? cell.join(' ') : String(cell ?? '')
  const harmless = /^[\s\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
