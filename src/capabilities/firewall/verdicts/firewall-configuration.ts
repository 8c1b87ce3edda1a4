import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { createRuleList, type RuleList } from '../rules/rule-list.ts'
import { createOverrideTable, type OverrideTable } from './override-table.ts'

/** What one deployment decided for itself, as the verdicts read it. */
export type FirewallConfiguration = {
  /** Moves with every change of them. */
  version: number
  overrides: OverrideTable
  /** Advisories that wait for a person here or were released, by `reviewKey`. */
  holds: ReadonlyMap<string, AdvisoryReview>
  choices: ReadonlyMap<EcosystemId, EcosystemSettings>
  list: RuleList
  /** Everything but known malware and what people denied passes, and what would have been refused is noted. */
  isWatching: boolean
}

/** A hold is about single versions, those that the deployment has had for a while; a release is about all. */
export type AdvisoryReview = { state: 'held'; versions: ReadonlySet<string> } | { state: 'released'; reason: string }

export type EcosystemSettings = {
  /** What happens to a package of which nothing can be said. */
  undetermined: 'block' | 'warn'
  /** What happens to a version while the advisory that names it waits for a person. */
  held: 'block' | 'warn'
  /** Versions younger than this are held back; 0 holds none back. */
  minimumAgeHours: number
  /** Normalised names that the age gate lets pass, `@scope/*` and `group:*` among them. */
  ageExceptions: readonly string[]
  /** Advisories not seen to be current for longer than this say nothing any more; 0 for no limit. */
  maximumDataAgeHours: number
  /** Hosts that serve what the public registry has: a package from there is the one that advisories mean. */
  mirrorHosts: readonly string[]
}

/** Fail closed: no verdict, no package. */
export const defaultSettings: EcosystemSettings = {
  undetermined: 'block',
  held: 'block',
  minimumAgeHours: 0,
  ageExceptions: [],
  maximumDataAgeHours: 0,
  mirrorHosts: [],
}

export const emptyConfiguration: FirewallConfiguration = {
  version: 0,
  overrides: createOverrideTable([]),
  holds: new Map(),
  choices: new Map(),
  list: createRuleList([]),
  isWatching: false,
}

export function reviewKey(advisoryId: string, ecosystem: EcosystemId, name: string): string {
  return `${advisoryId}\n${ecosystem}\n${ecosystems[ecosystem].comparedName(name)}`
}
