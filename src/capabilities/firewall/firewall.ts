import type { Fire } from '../../domain/trigger-event.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { FeedDependencies } from '../../feeds/feed-sync.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Transaction } from '../../kernel/database/database.ts'
import { enqueue } from '../../kernel/jobs/outbox.ts'
import type { Reconcile, Subjects } from '../findings/public.ts'
import type { GivenArtifact } from '../firewall-activity/public.ts'
import { createFeeds } from './advisories/feeds.ts'
import { inventorySnapshots } from './advisories/snapshots.ts'
import { createExposure } from './exposure/exposure.ts'
import { createMalware } from './exposure/malware.ts'
import { clientKind } from './exposure/recheck.ts'
import { ruleRoutes } from './rules/api/rule-routes.ts'
import { createRuleService } from './rules/rule-service.ts'
import { createFirewallService } from './service.ts'
import { overrideTrialRoutes } from './trial/override-trial.ts'
import { ruleTrialRoutes } from './trial/rule-trial.ts'
import { settingsTrialRoutes } from './trial/settings-trial.ts'
import { createTrial, type DetailsOf } from './trial/trial.ts'
import { createVerdictData } from './verdicts/verdict-data.ts'

export type FirewallDependencies = FeedDependencies & {
  reconcile: Reconcile
  subjects: Subjects
  fire: Fire
  /** The places of the feeds that there ought to be: nothing is let through before each of them has come in once. */
  configured: readonly string[]
  /** Addresses of this machine's choice that serve what the public registries have. */
  registryHosts: readonly string[]
  /** Where people find the console: refusals link to it. */
  publicUrl: string
}

/** Feeds, what is known from them, and the verdicts made of it. */
export function createFirewall(ingredients: FirewallDependencies) {
  const feeds = createFeeds(ingredients)
  const knowledge = createVerdictData(ingredients)
  const service = createFirewallService({ ...ingredients, knowledge, feeds })
  const { verdict, prepare, nameVerdict, audience, advice, noteArchive, namesBeginning, maliceOf } = service
  const isReady = () => knowledge.current() !== undefined
  const mirrorsOf = (deploymentId: number, ecosystem: EcosystemId) =>
    knowledge.configurationOf(deploymentId)?.choices.get(ecosystem)?.mirrorHosts ?? []
  const malware = createMalware({ ...ingredients, maliceOf, isReady, mirrorsOf })
  const exposure = createExposure({ ...ingredients, malware, maliceOf, reach, ...knowledge })

  /** What was let through before it was known to be malicious may be counted after: its clients are looked at again. */
  async function whenCounted(tx: Transaction, given: readonly GivenArtifact[]): Promise<void> {
    const late = given.filter(({ ecosystem, name, version }) => {
      const { advisoryIds, pardon } = maliceOf(tx.deploymentId, ecosystem, name, version)
      return advisoryIds.length > 0 && pardon === ''
    })
    const packages = late.map(({ ecosystem, name }) => ({ ecosystem, name }))
    const revision = knowledge.current()?.index.revision ?? 0
    if (packages.length > 0) await enqueue(tx, { kind: clientKind, payload: { packages, revision } })
  }

  /** The advisories that name a version, or any, as the feeds have them, whatever a deployment decided. */
  function advisoriesNaming(ecosystem: EcosystemId, name: string, version: string | undefined): readonly string[] {
    const known = knowledge.current()
    if (!known && ingredients.configured.length > 0)
      throw new Fault('unavailable', 'The advisories are not loaded yet.', { retryAfterSeconds: 5 })
    if (!known) return []
    return version === undefined ? known.index.matchAny(ecosystem, name) : known.index.match(ecosystem, name, version)
  }

  /** Another one whenever the verdicts in a deployment may be others, but for what only time changes. */
  function verdictStamp(deploymentId: number): string {
    const known = knowledge.current()
    return `${known?.index.revision ?? 0}.${knowledge.configurationOf(deploymentId)?.version ?? 0}`
  }

  async function reach(
    deploymentId: number,
    { revision, configurationVersion }: { revision: number; configurationVersion: number },
  ) {
    const isThere = () =>
      isReady() &&
      knowledge.current()!.index.revision >= revision &&
      (knowledge.configurationOf(deploymentId)?.version ?? 0) >= configurationVersion
    if (!isThere()) await knowledge.refresh()
    return isThere()
  }

  return {
    serveTrial: (api: Api) => settingsTrialRoutes(api, { ...ingredients, knowledge }),
    serveRules: (api: Api) => ruleRoutes(api, createRuleService({ db: ingredients.db, knowledge })),
    serveRuleTrial(api: Api, detailsOf: DetailsOf) {
      const trial = createTrial({ ...ingredients, knowledge, packages: service.packages, detailsOf })
      ruleTrialRoutes(api, ingredients.db, trial)
      overrideTrialRoutes(api, trial, ingredients.clock)
    },
    feeds,
    service,
    verdict,
    prepare,
    nameVerdict,
    audience,
    advice,
    noteArchive,
    namesBeginning,
    maliceOf,
    contactOf: knowledge.contactOf,
    advisoriesOf: (ecosystem: EcosystemId, name: string) => knowledge.current()?.index.matchAny(ecosystem, name) ?? [],
    reach,
    knowledge,
    whenCounted,
    advisoriesNaming,
    verdictStamp,
    malware,
    exposure,
    snapshots: inventorySnapshots(ingredients),
    refresh: knowledge.refresh,
    hasLooked: knowledge.hasLooked,
    close: knowledge.close,
  }
}
