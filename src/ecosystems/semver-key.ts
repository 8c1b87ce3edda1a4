import { afterNumbers, createKey, type KeyWriter } from './order-key.ts'
import { isAllDigits, isDigit, withoutTrailingZeros } from './segments.ts'
import { unreadableKey } from './unreadable-key.ts'

const end = 0x01
const build = 0x02
const prerelease = 0x10
const release = 0x20
const word = afterNumbers

export type SemverRules = {
  /** NuGet: `1.0.0-BETA` is `1.0.0-beta`. */
  readonly foldCase?: boolean
  /** Pub orders by build metadata; everyone else leaves it out (SemVer 2.0.0 §10). */
  readonly orderByBuild?: boolean
}

/** A version read leniently: any count of numbers, and a pre-release that may lack its hyphen (`1.2.3beta`). */
export type Semver = { readonly numbers: string[]; readonly prerelease: string; readonly build: string | undefined }

/**
 * SemVer 2.0.0 §11. Missing numbers are zero and further numbers count, so that `1.2` and `1.2.3.4` have a place too.
 */
export function semverKey(version: string, rules: SemverRules = {}): Uint8Array {
  const parsed = parseSemver(rules.foldCase ? version.toLowerCase() : version)
  if (!parsed) return unreadableKey(version)
  const key = createKey()
  for (const number of withoutTrailingZeros(parsed.numbers)) key.number(number)
  if (parsed.prerelease === '') key.mark(release)
  else {
    key.mark(prerelease)
    writeIdentifiers(key, parsed.prerelease)
  }
  if (rules.orderByBuild) {
    if (parsed.build === undefined) key.mark(end)
    else {
      key.mark(build)
      writeIdentifiers(key, parsed.build)
    }
  }
  return key.bytes()
}

/** Undefined where the version does not start with a number, after the `v` and `=` that node-semver passes over. */
function parseSemver(version: string): Semver | undefined {
  const text = version.trim()
  let at = 0
  while (at < text.length && 'v= \t'.includes(text[at]!)) at++
  const numbers: string[] = []
  while (at < text.length && isDigit(text.charCodeAt(at))) {
    const start = at
    while (at < text.length && isDigit(text.charCodeAt(at))) at++
    numbers.push(text.slice(start, at))
    if (text[at] !== '.' || !isDigit(text.charCodeAt(at + 1))) break
    at++
  }
  if (numbers.length === 0) return undefined
  const plus = text.indexOf('+', at)
  const beforeBuild = text.slice(at, plus === -1 ? undefined : plus)
  return {
    numbers,
    prerelease: beforeBuild[0] === '-' || beforeBuild[0] === '.' ? beforeBuild.slice(1) : beforeBuild,
    build: plus === -1 ? undefined : text.slice(plus + 1),
  }
}

/** Numbers by value, before words; a shorter row first (SemVer 2.0.0 §11.4). */
function writeIdentifiers(key: KeyWriter, dotted: string): void {
  for (const identifier of dotted.split('.')) {
    if (isAllDigits(identifier)) key.number(identifier)
    else {
      key.mark(word)
      key.text(identifier)
    }
  }
  key.mark(end)
}
