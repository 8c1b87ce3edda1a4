import type { Availability } from '../capabilities/firewall/contract.ts'
import type { Firewall, Question, ReleaseDetails, Verdict } from '../capabilities/firewall/verdicts/verdict.ts'
import type { Actor } from '../kernel/access/actor.ts'
import { Fault } from '../kernel/contract/fault.ts'
import type { Ownership } from './dependency-confusion/name-ownership.ts'
import { createReleaseCheck, type ProxyEcosystem } from './release-check.ts'

/** What a registry says of a version that it has. */
export type Publication = ReleaseDetails & {
  /** As its author gives it; undefined where the registry does not say. */
  licence?: string | undefined
}

/** Undefined where the registries that would be asked for a client do not have it. */
type Lookup = (actor: Actor, name: string, version: string) => Promise<Publication | undefined>
export type Lookups = Record<ProxyEcosystem, Lookup>

/**
 * The verdict that a client would get, for whoever wants to know it before: the same decision on the same facts. The registry is
 * asked only where it hangs on when the version was published.
 */
export function createAskedVerdict(firewall: Firewall, lookups: Lookups, closedTo: Ownership['closedTo']) {
  async function verdictOn(actor: Actor, { ecosystem, name, version, publishedAt }: Question): Promise<Verdict> {
    await firewall.prepare(actor.deploymentId, ecosystem, name)
    const { deploymentId, personId } = actor
    const verdict = firewall.verdict(deploymentId, ecosystem, name, version, { publishedAt, personId })
    if (!isProxied(ecosystem, lookups)) return verdict
    const releaseCheck = createReleaseCheck(firewall, ecosystem)
    if (releaseCheck.isRefusedAnyway(verdict)) return verdict
    const closed = await closedTo(deploymentId, ecosystem, name)
    if (closed) return { ...verdict, decision: 'block', refuse: true, rule: 'private_name', reason: closed }
    if (!releaseCheck.hangsOnDetails(actor, { name, version, publishedAt }, verdict)) return verdict
    const found = await lookups[ecosystem](actor, name, version).catch(asUnknown)
    if (typeof found === 'string') return { ...verdict, reason: `${verdict.reason} It was asked: ${found}` }
    if (!found) {
      const reason = `Its registry does not have ${name}@${version}, so there is nothing to let in.`
      return { ...verdict, reason, isMissing: true }
    }
    return releaseCheck.judge(actor, { name, version, ...found, ...(publishedAt && { publishedAt }) })
  }

  /** Whether a client that is let through would get it; undefined where packages of that kind do not come through here. */
  async function availabilityOf(actor: Actor, asked: Question): Promise<Availability | undefined> {
    const { ecosystem, name, version } = asked
    if (!isProxied(ecosystem, lookups)) return undefined
    const found = await lookups[ecosystem](actor, name, version).catch(asUnknown)
    if (typeof found === 'string') return { state: 'unknown', detail: found }
    if (found) return { state: 'available', detail: '' }
    return { state: 'missing', detail: `Its registry does not have ${name}@${version}.` }
  }

  /** What its registry says of a version, whatever the verdict; null where packages of that kind do not come through here. */
  async function publicationOf(
    actor: Actor,
    ecosystem: string,
    name: string,
    version: string,
  ): Promise<Publication | undefined | null> {
    return isProxied(ecosystem, lookups) ? lookups[ecosystem](actor, name, version) : null
  }

  /** The same for whoever goes on without it where the registry cannot be asked. */
  async function detailsOf(...asked: Parameters<typeof publicationOf>): Promise<ReleaseDetails | undefined> {
    const found = await publicationOf(...asked).catch(asUnknown)
    return typeof found === 'string' ? undefined : (found ?? undefined)
  }

  /** Why nobody is asked for a name; undefined where somebody is, or packages of that kind do not come through here. No registry is asked. */
  async function whyClosed({ deploymentId }: Actor, ecosystem: string, name: string): Promise<string | undefined> {
    return isProxied(ecosystem, lookups) ? closedTo(deploymentId, ecosystem, name) : undefined
  }

  return { verdictOn, availabilityOf, publicationOf, whyClosed, detailsOf }
}

function isProxied<All extends object>(ecosystem: string, lookups: All): ecosystem is keyof All & string {
  return Object.hasOwn(lookups, ecosystem)
}

/** A client would not get it then either. */
function asUnknown(error: unknown): string {
  if (error instanceof Fault) return error.message
  throw error
}
