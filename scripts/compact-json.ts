/** JSON that can be compared line by line, without a line for each value: down to `depth` each entry has its own. */
export function compactJson(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  if (entries.length === 0) return JSON.stringify(value)
  const lines = entries.map(([key, entry]) =>
    Array.isArray(value) ? compactJson(entry, depth - 1) : `${JSON.stringify(key)}:${compactJson(entry, depth - 1)}`,
  )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${close}`
}
