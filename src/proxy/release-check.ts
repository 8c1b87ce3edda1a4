import { type ArchiveFacts, plainFacts } from '../capabilities/firewall/rules/release-facts.ts'
import type { Firewall, FirewallEvent, ReleaseDetails, Verdict } from '../capabilities/firewall/verdicts/verdict.ts'
import type { ProxiedEcosystemId } from '../ecosystems/ecosystem.ts'
import type { Actor } from '../kernel/access/actor.ts'
import type { RegistryRequest } from '../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { notThere } from './artifact-source.ts'
import { everyVersion, refusalText, severalText } from './refusal-text.ts'

type Refusal = FirewallEvent['refusal']

export type ProxyEcosystem = ProxiedEcosystemId
export type Release = ReleaseDetails & { name: string; version: string }
export type ReleaseCheck = ReturnType<typeof createReleaseCheck>

/** Who asks for a package, and from where. */
export type Asker = Pick<RegistryRequest, 'actor' | 'client'>

const longAgo = new Date(0)

/** For one ecosystem: nothing passes without a verdict, and where none can be had, nothing passes at all. */
export function createReleaseCheck(firewall: Firewall, ecosystem: ProxyEcosystem) {
  function judge({ deploymentId, personId }: Actor, { name, version, ...details }: Release): Verdict {
    return decided(() => firewall.verdict(deploymentId, ecosystem, name, version, { ...details, personId }))
  }

  /** The verdict once more where it hangs on what is in the artifact: it is looked into, and that is remembered. */
  async function judgeArchive(
    actor: Actor,
    release: Release,
    verdict: Verdict,
    look: () => Promise<ArchiveFacts>,
  ): Promise<Verdict> {
    const { name, version, digest } = release
    if (verdict.refuse || verdict.lacks !== 'archive' || digest === undefined) return verdict
    const archive = await look()
    await firewall.noteArchive(actor.deploymentId, { ecosystem, name, version, digest }, archive)
    return judge(actor, { ...release, archive })
  }

  /** Packages that clients of the deployment were given, whose names begin so. */
  function namesBeginning({ deploymentId }: Actor, start: string): Promise<string[]> {
    return firewall.namesBeginning(deploymentId, ecosystem, start)
  }

  /** Who is answered the same about a package: what is kept for some must not be given to others. */
  function audience({ deploymentId, personId }: Actor, name: string): string {
    return `${deploymentId} ${firewall.audience(deploymentId, ecosystem, name, personId)}`
  }

  /** What is said of a refusal. */
  function told({ deploymentId }: Actor, { name, version }: Release, verdict: Verdict, more = ''): string {
    const advice = firewall.advice(deploymentId, ecosystem, name, version, verdict.rule)
    return refusalText({ name, version }, verdict, more, advice)
  }

  /** The same where one of several stands for them, because nobody knows which is wanted. */
  function toldOfSeveral(actor: Actor, { name, version }: Release, verdict: Verdict, count: number): string {
    const advice = firewall.advice(actor.deploymentId, ecosystem, name, version, verdict.rule)
    return count === 1
      ? told(actor, { name, version }, verdict)
      : severalText({ name, version }, verdict, count, advice)
  }

  /** To be awaited before anything about the package is judged. */
  function prepare({ deploymentId }: Actor, name: string): Promise<void> | undefined {
    return firewall.prepare(deploymentId, ecosystem, name)
  }

  /** Whether it might be another verdict if we knew when it was published and what its metadata says: that costs the larger of two documents. */
  function hangsOnDetails(actor: Actor, { publishedAt, facts, ...release }: Release, verdict: Verdict): boolean {
    if (facts) return false
    if (verdict.lacks === 'metadata') return true
    if (verdict.decision !== 'undetermined') return false
    const details = { publishedAt: publishedAt ?? longAgo, facts: plainFacts }
    return judge(actor, { ...release, ...details }).decision !== 'undetermined'
  }

  /** Refused whatever its registry says about it, and even where that has long taken it away. */
  function isRefusedAnyway({ decision, refuse }: Verdict): boolean {
    return refuse && decision !== 'undetermined'
  }

  /** What the client is told, once it is recorded for good. */
  async function refuse({ actor, client }: Asker, release: Release, verdict: Verdict, more = ''): Promise<Fault> {
    const { agent, address } = client
    const { rule, reason } = verdict
    await record(actor, release, verdict, { rule, reason, client: agent, address })
    return new Fault('package_refused', told(actor, release, verdict, more))
  }

  /** What is refused whichever version is asked for is refused by its name: nobody is asked about it, and nobody learns of it. */
  async function admitName(asker: Asker, name: string): Promise<void> {
    await prepare(asker.actor, name)
    const { deploymentId, personId } = asker.actor
    const verdict = decided(() => firewall.nameVerdict(deploymentId, ecosystem, name, { personId }))
    if (verdict) throw await refuse(asker, { name, version: everyVersion }, verdict)
  }

  /** What the client is told of a package that its registry does not have: registries take malware away. */
  async function missing(asker: Asker, name: string): Promise<Fault> {
    const { deploymentId, personId } = asker.actor
    const verdict = decided(() => firewall.nameVerdict(deploymentId, ecosystem, name, { gone: true, personId }))
    return verdict ? refuse(asker, { name, version: everyVersion }, verdict) : notThere(name)
  }

  /** To be awaited before it is answered. Never fails: what may pass is not held up by its being counted. */
  async function noteAllowed({ actor, client }: Asker, release: Release, verdict: Verdict): Promise<void> {
    const { watched } = verdict
    const refusal = watched && { ...watched, client: client.agent, address: client.address }
    await record(actor, release, verdict, refusal).catch(() => {})
  }

  function record(
    { deploymentId, personId, tokenId }: Actor,
    { name, version }: Release,
    { refuse: refused, advisoryIds }: Verdict,
    refusal?: Refusal,
  ) {
    const advisoryId = advisoryIds[0] ?? ''
    const event = { deploymentId, ecosystem, name, version, refused, advisoryId, personId, tokenId }
    return firewall.record(refusal ? { ...event, refusal } : event)
  }

  return {
    judge,
    judgeArchive,
    namesBeginning,
    prepare,
    audience,
    told,
    toldOfSeveral,
    hangsOnDetails,
    isRefusedAnyway,
    refuse,
    admitName,
    missing,
    noteAllowed,
  }
}

function decided<T>(decide: () => T): T {
  try {
    return decide()
  } catch (error) {
    const message = 'The malware firewall has no verdict, so nothing passes.'
    throw new Fault('unavailable', message, { cause: error, retryAfterSeconds: 5 })
  }
}
