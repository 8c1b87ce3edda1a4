import { createHash } from 'node:crypto'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { observe } from '../findings/reads.ts'

export type Observed = ReturnType<typeof observe>

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
export function maliciousPackage({ identity, title, message, advisoryIds, ...found }: MaliciousPackage): Observed {
  const { ecosystem, name, version, path, line } = found
  return observe({
    fingerprint: fingerprintOf(identity),
    ruleId: advisoryIds[0]!,
    title,
    message,
    product: 'sca',
    severity: 'critical',
    confidence: 'high',
    reachability: 'reachable',
    cwes: ['CWE-506'],
    vulnerabilityIds: advisoryIds.slice(0, 50),
    malicious: true,
    dependency: { name, version, ecosystem },
    locations: [{ path, startLine: line, startColumn: 0, endLine: 0, endColumn: 0, snippet: '' }],
  })
}

export function fingerprintOf(identity: MaliciousPackage['identity']): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 27)
}

/** For a message: not all of them, where they are many. */
export function named(advisoryIds: readonly string[]): string {
  return advisoryIds.slice(0, 3).join(', ')
}
