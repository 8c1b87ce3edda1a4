import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { daysBefore } from '../../../kernel/time/whole-days.ts'
import { type AskedByWhom, versionsAskedByWhom } from '../../firewall-activity/public.ts'
import { seesPackageClients } from '../../repositories/public.ts'
import type { RuleTrial } from '../rules/api/rule-contract.ts'
import { archiveOf } from '../rules/archive-store.ts'
import type { PackageKnowledge } from '../rules/package-knowledge.ts'
import { type RuleEcosystem, ruleEcosystems } from '../rules/rule.ts'
import { emptyConfiguration, type FirewallConfiguration } from '../verdicts/firewall-configuration.ts'
import { judge } from '../verdicts/judge.ts'
import type { ReleaseDetails, Verdict } from '../verdicts/verdict.ts'
import type { VerdictDataKeeper } from '../verdicts/verdict-data.ts'
import { trialFigures } from './trial-figures.ts'

/** What registries say of a version, asked as for a client; undefined where they do not have it or do not answer. */
export type DetailsOf = (
  actor: Actor,
  ecosystem: EcosystemId,
  name: string,
  version: string,
) => Promise<ReleaseDetails | undefined>

export type TrialParts = {
  db: Database
  clock: Clock
  knowledge: Pick<VerdictDataKeeper, 'current' | 'configurationOf'>
  packages: PackageKnowledge
  detailsOf: DetailsOf
}

type Judged = AskedByWhom & { known: Verdict; tried: Verdict; isUnknown: boolean }

/** When it was first asked for nobody had it. */
const nothingInUse = { given: new Set<string>(), present: new Set<string>() }
const mostVersions = 2_000
const atOnce = 8
const patienceMs = 20_000

export type Trial = ReturnType<typeof createTrial>

/** What another configuration would have made of the versions that clients asked for, and of whose. */
export function createTrial({ db, clock, knowledge, packages, detailsOf }: TrialParts) {
  /** `change` makes the configuration that is tried out of the one in force. */
  async function attempt(
    actor: Actor,
    days: number,
    change: (configuration: FirewallConfiguration) => FirewallConfiguration,
  ): Promise<Omit<RuleTrial, 'sentences'>> {
    const reader = db.as(actor)
    const now = clock.now()
    const since = daysBefore(now, days)
    const limit = mostVersions + 1
    const asked = await versionsAskedByWhom(reader, { ecosystems: ruleEcosystems, since, limit })
    const before = knowledge.configurationOf(actor.deploymentId) ?? emptyConfiguration
    const judged = await judgeAll(actor, asked.slice(0, mostVersions), { before, after: change(before), now })
    const certain = judged.filter(({ isUnknown }) => !isUnknown)
    const { changed, ...figures } = trialFigures(certain)
    const seesPeople = await seesPackageClients(reader, actor)
    return {
      since: since.toISOString(),
      versions: judged.length,
      truncated: asked.length > mostVersions,
      ...figures,
      unknown: judged.length - certain.length,
      changes: changed.map((each) => shownChange(each, seesPeople)),
    }
  }

  async function judgeAll(
    actor: Actor,
    asked: readonly AskedByWhom[],
    { before, after, now }: { before: FirewallConfiguration; after: FirewallConfiguration; now: Date },
  ): Promise<Judged[]> {
    const judged = new Array<Judged>(asked.length)
    const until = performance.now() + patienceMs
    const breath = createYield()
    let next = 0
    const work = async () => {
      for (let at = next++; at < asked.length; at = next++) {
        const pause = breath()
        if (pause) await pause
        judged[at] = await judgeOne(actor, asked[at]!, { before, after, now, isLate: performance.now() > until })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return judged
  }

  type Scene = { before: FirewallConfiguration; after: FirewallConfiguration; now: Date; isLate: boolean }

  async function judgeOne(actor: Actor, asked: AskedByWhom, { before, after, now, isLate }: Scene): Promise<Judged> {
    const { ecosystem, name, version, firstAt } = asked
    if (after.list.needsPackage(ecosystem) && !isLate) await packages.load(actor.deploymentId, ecosystem, name)
    const { vulnerabilities, near, archives } = packages.peek(actor.deploymentId, ecosystem, name) ?? {}
    const judgedBy = (configuration: FirewallConfiguration, details: ReleaseDetails) =>
      judge(
        knowledge.current(),
        configuration,
        {
          ecosystem,
          name,
          version,
          vulnerabilities,
          near,
          inUse: nothingInUse,
          ...details,
          archive: archives && archiveOf(archives, ecosystem, version, details.digest),
        },
        now,
      )
    const verdicts = (details: ReleaseDetails) => ({
      known: judgedBy(before, details),
      tried: judgedBy(after, details),
    })
    const first = verdicts({})
    if (!isUnsure(first.known) && !isUnsure(first.tried)) return { ...asked, ...first, isUnknown: false }
    const found = isLate ? undefined : await detailsOf(actor, ecosystem, name, version)
    if (!found) return { ...asked, ...first, isUnknown: true }
    return { ...asked, ...verdicts(asOldAs(found, firstAt, now)), isUnknown: false }
  }

  return { attempt }
}

function isUnsure({ lacks, rule }: Verdict): boolean {
  return lacks !== undefined || rule === 'unknown_age'
}

/** As old now as it was when it was first asked for. */
function asOldAs({ publishedAt, ...details }: ReleaseDetails, askedAt: Date, now: Date): ReleaseDetails {
  if (!publishedAt) return details
  return { ...details, publishedAt: new Date(now.getTime() - (askedAt.getTime() - publishedAt.getTime())) }
}

function shownChange({ known, tried, lastAt, ...asked }: Judged, seesPeople: boolean): RuleTrial['changes'][number] {
  const { reason, ruleId = 0 } = tried.refuse ? tried : known
  const { ecosystem, name, version, clients, people } = asked
  return {
    ecosystem: ecosystem as RuleEcosystem,
    name,
    version,
    refused: tried.refuse,
    reason,
    ruleId,
    clients,
    people: seesPeople ? people : [],
    lastAskedAt: lastAt.toISOString(),
  }
}
