import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import type { ClaimedEcosystem } from './contract.ts'

/** What a claim says of names, as it is stored and compared. */
export type NamePattern = { ecosystem: ClaimedEcosystem; pattern: string }

const npmWord = '[a-z0-9~_-][a-z0-9~._-]*'
const npmForm = new RegExp(`^(@${npmWord}/(\\*|${npmWord}\\*?)|${npmWord}\\*?)$`)
const pypiForm = /^[a-z0-9][a-z0-9-]*\*?$/
const group = '[a-z0-9_-]+(\\.[a-z0-9_-]+)*'
const cargoForm = /^[a-z0-9][a-z0-9-]*\*?$/
const goWord = '[a-z0-9_~-]+(\\.+[a-z0-9_~-]+)*'
const goForm = new RegExp(`^${goWord}(/${goWord})*(/?\\*)?$`)
const mavenForm = new RegExp(`^${group}(\\.\\*|:[a-z0-9_-][a-z0-9._-]*\\*?)?$`)
/** Before a star; with less, a slip would claim half of the world. */
const fewestCharacters = 3

/** The stored form of a pattern, or what is wrong with it. Case is not part of it: another spelling is not a way out. */
export function readPattern(ecosystem: ClaimedEcosystem, sent: string): { pattern: string } | { problem: string } {
  const text = nameKey(ecosystem, sent)
  const pattern = ecosystem === 'pypi' ? pypiPattern(text) : text
  const form = { npm: npmForm, pypi: pypiForm, maven: mavenForm, cargo: cargoForm, gomod: goForm }[ecosystem]
  if (!form.test(pattern)) return { problem: forms[ecosystem] }
  const isShort = pattern.endsWith('*') && pattern.length <= fewestCharacters
  if (isShort) return { problem: `must have at least ${fewestCharacters} characters before the star` }
  return { pattern }
}

const forms: Record<ClaimedEcosystem, string> = {
  npm: 'must be a name, @scope/name, or the beginning of one and a star: company-*, @scope/*',
  pypi: 'must be a name, or the beginning of one and a star: company-*',
  maven: 'must be a group, a group and all below it (com.company.*), group:artifact or group:beginning-*',
  cargo: 'must be a name, or the beginning of one and a star: company-*',
  gomod: 'must be a module path, or the beginning of one and a star: git.company.example/*',
}

function pypiPattern(text: string): string {
  return text.endsWith('*') ? `${pypi.normalizeName(text.slice(0, -1))}*` : pypi.normalizeName(text)
}

/**
 * The form in which names are compared and remembered: in lower case, and for crates with `-` for `_`, because crates.io gives no
 * two people names that differ in nothing else.
 */
export function nameKey(ecosystem: ClaimedEcosystem, name: string): string {
  const key = name.toLowerCase()
  return ecosystem === 'cargo' ? key.replaceAll('_', '-') : key
}

/** How much a pattern says of a name, or 0 where it is not about it. The largest of several counts. */
export function strengthOf({ ecosystem, pattern }: NamePattern, key: string): number {
  return ecosystem === 'maven' ? mavenStrength(pattern, key) : plainStrength(pattern, key)
}

/** The claim that says most of a name. */
export function strongestClaim<Claim extends NamePattern>(
  claims: readonly Claim[],
  ecosystem: ClaimedEcosystem,
  key: string,
): Claim | undefined {
  let strongest: { claim: Claim; strength: number } | undefined
  for (const claim of claims) {
    const strength = claim.ecosystem === ecosystem ? strengthOf(claim, key) : 0
    if (strength > (strongest?.strength ?? 0)) strongest = { claim, strength }
  }
  return strongest?.claim
}

function plainStrength(pattern: string, key: string): number {
  if (!pattern.endsWith('*')) return pattern === key ? Number.MAX_SAFE_INTEGER : 0
  const start = pattern.slice(0, -1)
  return key.startsWith(start) ? start.length : 0
}

/** Groups are compared part by part: `com.company.*` says nothing of `com.companyx`. */
function mavenStrength(pattern: string, key: string): number {
  if (pattern.includes(':')) return plainStrength(pattern, key)
  const [groupOfKey = ''] = key.split(':')
  if (!pattern.endsWith('.*')) return groupOfKey === pattern ? pattern.length : 0
  const start = pattern.slice(0, -2)
  return groupOfKey === start || groupOfKey.startsWith(`${start}.`) ? start.length : 0
}
