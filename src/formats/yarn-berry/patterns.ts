import { splitNameAt } from '../npm-specifier.ts'

/** Finds entries by what is asked for: `name@range`, several of them in one key. */
export function createPatterns<T>() {
  const byPattern = new Map<string, T>()
  const byName = new Map<string, Set<T>>()

  function add(keys: string, entry: T): void {
    for (const pattern of keys.split(', ')) {
      byPattern.set(withoutBindings(pattern), entry)
      const { name } = splitNameAt(pattern)
      const named = byName.get(name)
      if (named) named.add(entry)
      else byName.set(name, new Set([entry]))
    }
  }

  /** Up to Yarn 3 ranges are written without their `npm:`. */
  function find(name: string, range: string): T | undefined {
    const exact = byPattern.get(withoutBindings(`${name}@${range}`)) ?? byPattern.get(`${name}@npm:${range}`)
    if (exact) return exact
    // `resolutions` of the project replace the range that was asked for; then there is one entry for all.
    const named = byName.get(name)
    return named?.size === 1 ? [...named][0] : undefined
  }

  return { add, find }
}

/** `::locator=...` binds a pattern to the workspace it was read in. */
function withoutBindings(pattern: string): string {
  const at = pattern.indexOf('::')
  return at === -1 ? pattern : pattern.slice(0, at)
}
