import { createHash } from 'node:crypto'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { observe } from '../../findings/public.ts'

export type PackageObservation = ReturnType<typeof observe>

export type MaliciousPackage = {
  /** What tells it from others, for good: the fingerprint is made of it. */
  identity: readonly (string | number)[]
  title: string
  message: string
  ecosystem: EcosystemId
  name: string
  version: string
  advisoryIds: readonly string[]
  path: string
  line: number
}

/** A malicious version that is somewhere already, as a finding of the gravest kind. */
export function maliciousPackage(found: MaliciousPackage): PackageObservation {
  return observe({
    ...common(found),
    severity: 'critical',
    confidence: 'high',
    reachability: 'reachable',
    malicious: true,
  })
}

/** Why nobody can say yet whether it is malicious. Part of the rule, so that people can tell them apart. */
export type Doubt = 'held' | 'name'

/** A version that advisories name, but not with certainty: told apart, and never as a malicious one. */
export function doubtfulPackage(found: MaliciousPackage, doubt: Doubt): PackageObservation {
  const { ruleId, ...rest } = common(found)
  return observe({
    ...rest,
    ruleId: `${ruleId}-${doubt}`,
    // What waits for a decision is told to everybody who wants to hear of the gravest.
    severity: doubt === 'held' ? 'critical' : 'medium',
    confidence: 'low',
  })
}

/** Whether a rule is about advisories that wait for a person: who has what they name is told as of malicious packages. */
export function isAboutReview(ruleId: string): boolean {
  return ruleId.endsWith('-held' satisfies `-${Doubt}`)
}

function common({ identity, title, message, advisoryIds, ...found }: MaliciousPackage) {
  const { ecosystem, name, version, path, line } = found
  return {
    fingerprint: fingerprintOf(identity),
    ruleId: advisoryIds[0]!,
    title,
    message,
    product: 'sca' as const,
    cwes: ['CWE-506'],
    vulnerabilityIds: advisoryIds.slice(0, 50),
    dependency: { name, version, ecosystem },
    locations: [{ path, startLine: line, startColumn: 0, endLine: 0, endColumn: 0, snippet: '' }],
  }
}

export function fingerprintOf(identity: MaliciousPackage['identity']): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 27)
}

/** For a message: not all of them, where they are many. */
export function named(advisoryIds: readonly string[]): string {
  return advisoryIds.slice(0, 3).join(', ')
}
