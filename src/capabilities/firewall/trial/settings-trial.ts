import type { Actor } from '../../../kernel/access/actor.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { daysBefore } from '../../../kernel/time/whole-days.ts'
import { type AskedVersion, usualTrialDays, versionsAskedByWhom } from '../../firewall-activity/public.ts'
import { seesPackageClients } from '../../repositories/public.ts'
import type { ChoicesBody } from '../contract.ts'
import { exceptionNames } from '../overrides/override-subject.ts'
import { defaultSettings, emptyConfiguration, type FirewallConfiguration } from '../verdicts/firewall-configuration.ts'
import { judge } from '../verdicts/judge.ts'
import type { VerdictDataKeeper } from '../verdicts/verdict-data.ts'
import { type FirewallTrial, tryFirewallSettings } from './settings-trial-contract.ts'
import { trialFigures } from './trial-figures.ts'

type Parts = { db: Database; clock: Clock; knowledge: Pick<VerdictDataKeeper, 'current' | 'configurationOf'> }

const mostVersions = 5_000

export function settingsTrialRoutes(api: Api, { db, clock, knowledge }: Parts): void {
  api.serve(tryFirewallSettings, ({ actor, body }) => attempt(actor, body.settings, body.days ?? usualTrialDays))

  async function attempt(actor: Actor, sent: ChoicesBody, days: number): Promise<FirewallTrial> {
    const { ecosystem } = sent
    const draft = { ...defaultSettings, ...sent, ageExceptions: exceptionNames(ecosystem, sent.ageExceptions) }
    const now = clock.now()
    const since = daysBefore(now, days)
    const reader = db.as(actor)
    const asked = await versionsAskedByWhom(reader, { ecosystems: [ecosystem], since, limit: mostVersions + 1 })
    const seesPeople = await seesPackageClients(reader, actor)
    const before = knowledge.configurationOf(actor.deploymentId) ?? emptyConfiguration
    const after = { ...before, choices: new Map(before.choices).set(ecosystem, draft) }
    // A version is no younger than the first request for it, and may be much older.
    const verdictBy = (configuration: FirewallConfiguration, { name, version, firstAt }: AskedVersion) =>
      judge(knowledge.current(), configuration, { ecosystem, name, version, publishedAt: firstAt }, now)
    const judged = asked
      .slice(0, mostVersions)
      .map((each) => ({ ...each, known: verdictBy(before, each), tried: verdictBy(after, each) }))
    const certain = judged.filter(({ known, tried }) => known.rule !== 'too_young' && tried.rule !== 'too_young')
    const { changed, ...figures } = trialFigures(certain)
    return {
      since: since.toISOString(),
      versions: judged.length,
      truncated: asked.length > mostVersions,
      ...figures,
      unknownAge: judged.length - certain.length,
      changes: changed.map(({ name, version, known, tried, clients, people, lastAt }) => ({
        name,
        version,
        refused: tried.refuse,
        reason: (tried.refuse ? tried : known).reason,
        clients,
        people: seesPeople ? people : [],
        lastAskedAt: lastAt.toISOString(),
      })),
    }
  }
}
