import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'

/** What a rule says of names: one name, or all that begin so. */
export type NamePattern = { exact: string } | { starts: readonly string[]; strength: number }

/** Before the star of what is let through; with less, a slip would switch the firewall off. */
export const fewestCharacters = 3

const plain = /^[^\s*\p{Cc}]+$/u
const npmName = /^(@[^/@\s]+\/)?[^/@\s]+$/
const npmStart = /^(@[^/@\s]+\/|@)?[^/@\s]*$/
const pypiName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const pypiStart = /^[a-z0-9][a-z0-9-]*$/
const mavenGroup = /^[\w-]+(\.[\w-]+)*$/
const mavenArtifact = /^[\w.-]+$/

/** The stored form of a name or pattern, or what is wrong with it. */
export function readNamePattern(ecosystem: EcosystemId, sent: string): { name: string } | { problem: string } {
  const text = sent.trim()
  if (text === '*') return { name: '*' }
  if (ecosystem === 'maven') return readMaven(text)
  const isStart = text.endsWith('*')
  const bare = ecosystems[ecosystem].normalizeName(isStart ? text.slice(0, -1) : text)
  if (!plain.test(bare) || !fits(ecosystem, bare, isStart)) return { problem: forms[ecosystem] ?? otherForm }
  return { name: isStart ? `${bare}*` : bare }
}

function fits(ecosystem: EcosystemId, bare: string, isStart: boolean): boolean {
  if (ecosystem === 'npm') return (isStart ? npmStart : npmName).test(bare)
  if (ecosystem === 'pypi') return (isStart ? pypiStart : pypiName).test(bare)
  return true
}

/** `com.company` stands for the group, `com.company.*` for it and all below it: as claims of names are written. */
function readMaven(text: string): { name: string } | { problem: string } {
  const [group = '', artifact, ...more] = ecosystems.maven.normalizeName(text).split(':')
  if (artifact === undefined) {
    const isBelow = group.endsWith('.*')
    const fine = mavenGroup.test(isBelow ? group.slice(0, -2) : group)
    return fine ? { name: isBelow ? group : `${group}:*` } : { problem: forms.maven! }
  }
  const bare = artifact.endsWith('*') ? artifact.slice(0, -1) : artifact
  const fine = more.length === 0 && mavenGroup.test(group) && (artifact === '*' || mavenArtifact.test(bare))
  return fine ? { name: `${group}:${artifact}` } : { problem: forms.maven! }
}

const otherForm = 'must be a name, or the beginning of one and a star'
const forms: Partial<Record<EcosystemId, string>> = {
  npm: 'must be a name, @scope/name, or the beginning of one and a star: company-*, @scope/*',
  pypi: 'must be a name, or the beginning of one and a star: company-*',
  maven: 'must be group:artifact, group:beginning-*, a group, or a group and all below it: com.company.*',
}

/** Of the stored form. */
export function namePattern(ecosystem: EcosystemId, name: string): NamePattern {
  if (!name.endsWith('*')) return { exact: name }
  const start = name.slice(0, -1)
  if (ecosystem !== 'maven' || !start.endsWith('.')) return { starts: [start], strength: start.length }
  const group = start.slice(0, -1)
  return { starts: [`${group}.`, `${group}:`], strength: group.length }
}

/** Of the stored form too, for names that are compared. */
export function comparedPattern(ecosystem: EcosystemId, name: string): NamePattern {
  const isStart = name.endsWith('*')
  const compared = ecosystems[ecosystem].comparedName(isStart ? name.slice(0, -1) : name)
  return namePattern(ecosystem, isStart ? `${compared}*` : compared)
}

export function coversName(pattern: NamePattern, name: string): boolean {
  return 'exact' in pattern ? pattern.exact === name : pattern.starts.some((start) => name.startsWith(start))
}

/** The name of a package, and every pattern that would cover it, in their stored forms. */
export function namesCovering(ecosystem: EcosystemId, sent: string): string[] {
  const name = ecosystems[ecosystem].normalizeName(sent)
  const patterns = Array.from({ length: name.length + 1 }, (_, end) => `${name.slice(0, end)}*`)
  // All below a group is the group itself too.
  const group = ecosystem === 'maven' ? [`${name.split(':')[0]}.*`] : []
  return [name, ...patterns, ...group]
}
