import type { Exposed, FetchedArtifact, StandingExposure } from '../../firewall-activity/public.ts'
import { fingerprintOf, maliciousPackage, named, type PackageObservation } from './malicious-package.ts'

/** A client that was given a malicious version before that was known. */
export function clientFinding(exposure: StandingExposure): PackageObservation {
  const { ecosystem, name, version, advisoryIds, fetchedAt } = exposure
  const person = exposure.person || `person ${exposure.personId}, who has left`
  const token = exposure.token || (exposure.tokenId === 0 ? 'no token' : `token ${exposure.tokenId}`)
  return maliciousPackage({
    identity: identityOf(exposure, exposure),
    title: `Malicious package ${name}`,
    message:
      `${person} (${exposure.token && 'token '}${token}) was given ${name} ${version} (${ecosystem}) by the firewall, first at ` +
      `${fetchedAt.toISOString()}. It is known to be malicious (${named(advisoryIds)}). Whatever installed it ran its ` +
      'code: treat the machine and the secrets within its reach as lost.',
    ecosystem,
    name,
    version,
    advisoryIds,
    path: [ecosystem, exposure.person || `person ${exposure.personId}`, token].map(segment).join('/'),
    line: 0,
  })
}

export function clientFingerprint(artifact: FetchedArtifact, client: Exposed): string {
  return fingerprintOf(identityOf(artifact, client))
}

// By number: people and tokens may be renamed.
function identityOf(
  { ecosystem, name, version }: Omit<FetchedArtifact, 'id'>,
  { personId, tokenId }: Omit<Exposed, 'artifactId'>,
): (string | number)[] {
  return ['client', ecosystem, name, version, personId, tokenId]
}

function segment(text: string): string {
  return text.replaceAll('/', '_')
}
