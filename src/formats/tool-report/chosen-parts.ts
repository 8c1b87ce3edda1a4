import type { JsonChoice, JsonKind, JsonPath } from '../json/json-stream.ts'

// For a walk that gives the parts of a document at these paths and nothing else: 'version', 'results/*'.
// A star stands for any member or entry.
export function chosenParts(...written: string[]): (path: JsonPath, kind: JsonKind) => JsonChoice {
  const patterns = written.map((pattern) => pattern.split('/'))
  return (path, kind) => {
    let leads = false
    for (const pattern of patterns) {
      if (pattern.length < path.length || !fits(pattern, path)) continue
      if (pattern.length === path.length) return 'parse'
      leads = true
    }
    return leads && kind !== 'scalar' ? 'enter' : 'skip'
  }
}

function fits(pattern: readonly string[], path: JsonPath): boolean {
  return path.every((key, at) => pattern[at] === '*' || pattern[at] === key)
}
