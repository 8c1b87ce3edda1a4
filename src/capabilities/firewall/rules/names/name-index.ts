import { isOneAway, shortestName, wordsOf } from './typosquat.ts'

export type NameIndex = ReturnType<typeof createNameIndex>

/**
 * Finds the name that another is nearly, among very many. One change leaves the first two letters of a name as they are, or the last
 * two, so only names that share those are compared.
 */
export function createNameIndex(names: readonly string[]) {
  const all = new Set(names)
  const byEnds = new Map<string, string[]>()
  const byWords = new Map<string, string>()
  for (const name of all) {
    if (name.length < shortestName) continue
    for (const end of endsOf(name)) {
      const known = byEnds.get(end)
      if (known) known.push(name)
      else byEnds.set(end, [name])
    }
    const words = wordsOf(name)
    if (!byWords.has(words)) byWords.set(words, name)
  }

  function near(name: string): string | undefined {
    if (name.length < shortestName) return undefined
    const same = byWords.get(wordsOf(name))
    if (same !== undefined && same !== name && !isRelated(same, name)) return same
    for (const end of endsOf(name)) {
      const found = byEnds.get(end)?.find((one) => isOneAway(one, name) && !isRelated(one, name))
      if (found !== undefined) return found
    }
    return undefined
  }

  return { has: (name: string) => all.has(name), near }
}

function endsOf(name: string): [string, string] {
  return [`${name.slice(0, 2)}*`, `*${name.slice(-2)}`]
}

/** Packages of one scope are made by the same people, and names that differ in a number are made to: `es5-ext`, `es6-ext`. */
function isRelated(a: string, b: string): boolean {
  const scope = a.startsWith('@') ? a.slice(0, a.indexOf('/') + 1) : ''
  if (scope !== '' && b.startsWith(scope)) return true
  const plain = (name: string) => name.replace(/\d+/g, '0')
  return plain(a) === plain(b)
}
