import type { Firewall, Verdict } from '../capabilities/firewall/verdicts/verdict.ts'
import type { Actor } from '../kernel/access/actor.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { refusalText } from './refusal-text.ts'

export type ProxyEcosystem = 'npm' | 'pypi' | 'maven'
export type Release = { name: string; version: string; publishedAt?: Date | undefined }
export type ReleaseCheck = ReturnType<typeof createReleaseCheck>

const longAgo = new Date(0)

/** One ecosystem's gate: nothing passes without a verdict, and where none can be had, nothing passes at all. */
export function createReleaseCheck(firewall: Firewall, ecosystem: ProxyEcosystem) {
  function judge({ deploymentId }: Actor, { name, version, publishedAt }: Release): Verdict {
    try {
      return firewall.verdict(deploymentId, ecosystem, name, version, { publishedAt })
    } catch (error) {
      const message = 'The malware firewall has no verdict, so nothing passes.'
      throw new Fault('unavailable', message, { cause: error, retryAfterSeconds: 5 })
    }
  }

  /** Whether it would be another verdict if we knew when it was published: that costs the larger of two documents. */
  function hangsOnTime(actor: Actor, release: Release, verdict: Verdict): boolean {
    if (verdict.decision !== 'undetermined' || release.publishedAt) return false
    return judge(actor, { ...release, publishedAt: longAgo }).decision !== 'undetermined'
  }

  /** Refused whatever its registry says about it, and even where that has long taken it away. */
  function isRefusedAnyway({ decision, refuse }: Verdict): boolean {
    return refuse && decision !== 'undetermined'
  }

  /** What the client is told, once it is recorded for good. */
  async function refuse(actor: Actor, release: Release, verdict: Verdict, more = ''): Promise<Fault> {
    await record(actor, release, verdict)
    return new Fault('package_refused', refusalText(release, verdict, more))
  }

  /** To be awaited before it is answered. Never fails: what may pass is not held up by its being counted. */
  async function noteAllowed(actor: Actor, release: Release, verdict: Verdict): Promise<void> {
    await record(actor, release, verdict).catch(() => {})
  }

  function record({ deploymentId, personId, tokenId }: Actor, { name, version }: Release, verdict: Verdict) {
    const { refuse: refused, advisoryIds } = verdict
    const advisoryId = advisoryIds[0] ?? ''
    return firewall.record({ deploymentId, ecosystem, name, version, refused, advisoryId, personId, tokenId })
  }

  return { judge, hangsOnTime, isRefusedAnyway, refuse, noteAllowed }
}
