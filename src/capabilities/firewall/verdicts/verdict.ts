import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { FirewallEvent } from '../../firewall-activity/public.ts'
import type { KnownVulnerability, Lack, OwnName, VersionsInUse } from '../rules/known-package.ts'
import type { ArchiveFacts, ReleaseFacts } from '../rules/release-facts.ts'

export type { FirewallEvent } from '../../firewall-activity/public.ts'

/** What decided a verdict. */
export const verdictRules = [
  'none',
  'allowed',
  'denied',
  'malicious',
  'held',
  'too_young',
  'unknown_age',
  'no_advisories',
  'missing_feed',
  'old_advisories',
  'rule_allow',
  'rule_hold',
  'rule_refuse',
  'unknown_facts',
  'private_name',
] as const
export type VerdictRule = (typeof verdictRules)[number]

/** What is said about one version of a package that a client asks for. */
export type Verdict = {
  decision: 'allow' | 'block' | 'held' | 'undetermined'
  /** Whether the client is refused: what is blocked, and what is held or undetermined unless the deployment lets that through. */
  refuse: boolean
  /** What decided it; none where nothing speaks against it. */
  rule: VerdictRule
  /** One or two sentences for the person who is refused, or warned. */
  reason: string
  /** The advisories that name it; for an override of the deployment that denies it, `override-` and its number. */
  advisoryIds: readonly string[]
  /** How long ago the advisories were last seen to be current; null while there are none. */
  dataAgeSeconds: number | null
  /** What would have refused it, if it did more than watch. */
  watched?: { rule: VerdictRule; reason: string }
  /** What rules that only warn say of it, a sentence or two each. */
  warnings?: readonly string[]
  /** The rule of the deployment's list that decided it. */
  ruleId?: number
  /** What it takes to say more. */
  lacks?: Lack
  /** Its registry was asked about it, and does not have it. */
  isMissing?: boolean
}

/** What is known of a version beside its name. */
export type ReleaseDetails = {
  /** When the registry says it was published, where it says so: the age gate needs it. */
  publishedAt?: Date | undefined
  /** What its metadata says; undefined where nobody looked. */
  facts?: ReleaseFacts | undefined
  /** What its artifact hashes to, where rules can ask for what is in it. */
  digest?: string | undefined
  /** What was seen in its artifact; undefined where nobody looked. */
  archive?: ArchiveFacts | undefined
}

export type Question = ReleaseDetails & {
  ecosystem: EcosystemId
  name: string
  version: string
  /** Who asks, where that is known: an exception may be for a team. */
  personId?: number | undefined
  /** What advisories about vulnerabilities say of the package; undefined where that was not looked up. */
  vulnerabilities?: readonly KnownVulnerability[] | undefined
  /** Which of its versions the deployment has already; undefined where that was not looked up. */
  inUse?: VersionsInUse | undefined
  /** A name of the deployment's own that the package's is nearly. */
  near?: OwnName | undefined
}

export type Malice = {
  /** Which advisories say that it is malicious. */
  advisoryIds: readonly string[]
  /** Where there are none: those that would, but wait for a person of the deployment. */
  heldIds: readonly string[]
  /** Why the deployment allows it although they do; '' where it does not. */
  pardon: string
}

export type MaliceOf = (deploymentId: number, ecosystem: EcosystemId, name: string, version: string) => Malice

export type SeenArtifact = { ecosystem: EcosystemId; name: string; version: string; digest: string }

/** What the proxies need of the firewall. */
export type Firewall = {
  verdict(
    deploymentId: number,
    ecosystem: EcosystemId,
    name: string,
    version: string,
    more?: ReleaseDetails & { personId?: number | undefined },
  ): Verdict
  /** Resolves once verdicts on the package have in memory what they need. Never fails: what is lacking then is undetermined. */
  prepare(deploymentId: number, ecosystem: EcosystemId, name: string): Promise<void> | undefined
  /**
   * The verdict on all versions of a package, where they are refused whichever is asked for; undefined where it takes the version to
   * tell. `gone`: its registry has none of them any more, so that one malicious version speaks for all.
   */
  nameVerdict(
    deploymentId: number,
    ecosystem: EcosystemId,
    name: string,
    more?: { gone?: boolean | undefined; personId?: number | undefined },
  ): Verdict | undefined
  /** Which exceptions for teams are this person's, about a package: those with the same are answered the same. */
  audience(deploymentId: number, ecosystem: EcosystemId, name: string, personId: number): string
  /** How whoever is refused by a rule can get on: where to ask for an exception, if that can help, and what the deployment says about whom to ask. */
  advice(deploymentId: number, ecosystem: EcosystemId, name: string, version: string, rule: VerdictRule): string
  /** Whom to ask, in the words of the deployment; '' where it says nothing. */
  contactOf(deploymentId: number): string
  /** Keeps what was seen in an artifact for every verdict on its version from now on. Never fails: it can be looked at again. */
  noteArchive(deploymentId: number, artifact: SeenArtifact, seen: ArchiveFacts): Promise<void>
  /** Names that begin so, of packages that clients of the deployment were given, in their order. */
  namesBeginning(deploymentId: number, ecosystem: EcosystemId, start: string): Promise<string[]>
  /** Resolves once it can be answered: a refusal is kept for good then, what was let through outlives the process. */
  record(event: FirewallEvent): Promise<void>
}
