import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import type { Rule } from '../rules/rule.ts'
import { createRuleList, type RuleList } from '../rules/rule-list.ts'
import { versionKey } from '../version-key.ts'
import {
  type AdvisoryReview,
  type EcosystemSettings,
  emptyConfiguration,
  type FirewallConfiguration,
  reviewKey,
} from './firewall-configuration.ts'
import { createOverrideTable, type Override, type OverrideTable } from './override-table.ts'

type OverrideRow = Override & { deploymentId: number }
type ChoiceRow = EcosystemSettings & { deploymentId: number; ecosystem: EcosystemId }
type HeldRow = {
  deploymentId: number
  advisoryId: string
  ecosystem: EcosystemId
  name: string
  state: AdvisoryReview['state']
  versions: string[]
  reason: string
}

/** What every deployment decided for itself, all of it: a few rows each, and verdicts need them at once. */
export async function loadConfigurations(db: WorkerQueryable): Promise<Map<number, FirewallConfiguration>> {
  // Before what it is the version of: what is newer than it says is only looked at once more.
  const versions = await db.query<{ deploymentId: number; version: number }>(
    sql`select deployment_id as "deploymentId", rules as version from firewall_deployment`,
  )
  const overrides =
    await db.query<OverrideRow>(sql`select deployment_id as "deploymentId", id, ecosystem, name, version,
    effect, reason, expires_at as "expiresAt" from firewall_override`)
  const choices =
    await db.query<ChoiceRow>(sql`select deployment_id as "deploymentId", ecosystem, undetermined, held, mirror_hosts as "mirrorHosts",
    minimum_age_hours as "minimumAgeHours", age_exceptions as "ageExceptions",
    maximum_data_age_hours as "maximumDataAgeHours" from firewall_choice`)
  const held =
    await db.query<HeldRow>(sql`select deployment_id as "deploymentId", advisory_id as "advisoryId", ecosystem,
    name, state, versions, reason from firewall_held where state <> 'confirmed'`)
  const lists = await db.query<{ deploymentId: number; isWatching: boolean; rules: Rule[] }>(
    sql`select deployment_id as "deploymentId", watching as "isWatching", rules from firewall_rule_list`,
  )
  type Collected = {
    version: number
    overrides: OverrideTable
    holds: Map<string, AdvisoryReview>
    choices: Map<EcosystemId, EcosystemSettings>
    list: RuleList
    isWatching: boolean
  }
  const all = new Map<number, Collected>()
  const of = (deploymentId: number) => {
    const configuration = all.get(deploymentId) ?? {
      ...emptyConfiguration,
      holds: new Map(),
      choices: new Map(),
    }
    all.set(deploymentId, configuration)
    return configuration
  }
  for (const { deploymentId, version } of versions) of(deploymentId).version = version
  for (const [deploymentId, own] of Map.groupBy(overrides, (row) => row.deploymentId))
    of(deploymentId).overrides = createOverrideTable(own)
  for (const row of choices) of(row.deploymentId).choices.set(row.ecosystem, row)
  for (const { deploymentId, isWatching, rules } of lists)
    Object.assign(of(deploymentId), { isWatching, list: createRuleList(rules) })
  for (const row of held)
    of(row.deploymentId).holds.set(reviewKey(row.advisoryId, row.ecosystem, row.name), holdOf(row))
  return all
}

function holdOf({ ecosystem, state, versions, reason }: HeldRow): AdvisoryReview {
  if (state === 'released') return { state, reason }
  return { state, versions: new Set(versions.map((version) => versionKey(ecosystem, version))) }
}
