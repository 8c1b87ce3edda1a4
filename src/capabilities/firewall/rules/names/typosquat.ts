import type { RuleEcosystem } from '../rule.ts'
import { popularNames } from './popular-names.ts'

/** Too many short names are near another. */
export const shortestName = 5
const remembered = 20_000

/**
 * Which widely used name a name is nearly: one letter more, less, other or swapped with its neighbour, or other signs between the same
 * words. Names that are widely used themselves resemble none. Short names are left out.
 */
export function createResemblance() {
  const known = new Map<string, string | undefined>()

  function of(ecosystem: RuleEcosystem, name: string): string | undefined {
    const key = `${ecosystem} ${name}`
    if (known.has(key)) return known.get(key)
    const found = nearest(popularNames[ecosystem] ?? [], name)
    if (known.size >= remembered) known.clear()
    known.set(key, found)
    return found
  }

  return { of }
}

export function nearest(popular: readonly string[], name: string): string | undefined {
  if (name.length < shortestName || popular.includes(name)) return undefined
  const words = wordsOf(name)
  return popular.find((one) => one.length >= shortestName && (wordsOf(one) === words || isOneAway(one, name)))
}

/** `lodash.js`, `lodash-js` and `lodash_js` are the same words; so are `@types/node` and `types-node`. */
export function wordsOf(name: string): string {
  return name
    .replace(/^@/, '')
    .split(/[-_./]+/)
    .sort()
    .join(' ')
}

/** Damerau-Levenshtein distance of exactly one. */
export function isOneAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  if (a.length > b.length) return a.slice(start + 1) === b.slice(start)
  if (a.length < b.length) return a.slice(start) === b.slice(start + 1)
  if (a.slice(start + 1) === b.slice(start + 1)) return true
  const isSwapped = a[start] === b[start + 1] && a[start + 1] === b[start]
  return isSwapped && a.slice(start + 2) === b.slice(start + 2)
}
