import { splitNameAt } from '../npm-specifier.ts'

/** Finds entries by what is asked for: `name@range`, several of them in one key. */
export function createPatterns<T>() {
  const byPattern = new Map<string, T>()
  const byName = new Map<string, { entries: Set<T>; patterns: string[] }>()
  const folders = new Set<string>()
  const asked = new Set<string>()

  function add(keys: string, entry: T): void {
    for (const pattern of keys.split(', ').map(withoutBindings)) {
      byPattern.set(pattern, entry)
      const { name } = splitNameAt(pattern)
      const named = byName.get(name) ?? { entries: new Set(), patterns: [] }
      byName.set(name, named)
      named.entries.add(entry)
      named.patterns.push(pattern)
    }
  }

  /** A folder of the project may be called like a package that others ask for. */
  function addFolder(keys: string): void {
    for (const pattern of keys.split(', ')) folders.add(withoutBindings(pattern))
  }

  /** 'folder' for one of the project; undefined where it is not known which entry is meant. */
  function find(name: string, range: string): T | 'folder' | undefined {
    // Up to Yarn 3 ranges are written without their `npm:`.
    for (const pattern of [withoutBindings(`${name}@${range}`), `${name}@npm:${range}`]) {
      if (folders.has(pattern)) return 'folder'
      const exact = byPattern.get(pattern)
      if (exact === undefined) continue
      asked.add(pattern)
      return exact
    }
    // `resolutions` and catalogs of the project replace the range that was asked for; then there may be one entry for all.
    const named = byName.get(name)
    return named?.entries.size === 1 ? [...named.entries][0] : undefined
  }

  /** What is locked for a name and was not found by its range: only a replaced range can have asked for it. */
  function leftOver(name: string): { named: Iterable<T>; unasked: T[] } {
    const { entries, patterns } = byName.get(name) ?? { entries: [], patterns: [] }
    return { named: entries, unasked: patterns.filter((one) => !asked.has(one)).map((one) => byPattern.get(one)!) }
  }

  return { add, addFolder, find, leftOver }
}

/** `::locator=...` binds a pattern to the workspace it was read in. */
function withoutBindings(pattern: string): string {
  const at = pattern.indexOf('::')
  return at === -1 ? pattern : pattern.slice(0, at)
}
