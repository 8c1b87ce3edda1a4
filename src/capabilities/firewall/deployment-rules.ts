import type { EcosystemId } from '../../ecosystems/ecosystem.ts'

/** What one deployment decided for itself, as the verdicts read it. */
export type DeploymentRules = {
  /** Moves with every change of them. */
  version: number
  /** By `packageKey`. */
  overrides: ReadonlyMap<string, readonly Override[]>
  /** Advisories that wait for a person here, by `heldKey`. */
  held: ReadonlySet<string>
  choices: ReadonlyMap<EcosystemId, EcosystemChoices>
}

export type Override = {
  id: number
  effect: 'allow' | 'deny'
  /** '' for every version. */
  version: string
  reason: string
  expiresAt: Date | null
}

export type EcosystemChoices = {
  /** What happens to a package of which nothing can be said. */
  undetermined: 'block' | 'warn'
  /** Versions younger than this are held back; 0 holds none back. */
  minimumAgeHours: number
  /** Normalised names that the age gate lets pass, `@scope/*` and `group:*` among them. */
  ageExceptions: readonly string[]
  /** Advisories not seen to be current for longer than this say nothing any more; 0 for no limit. */
  maximumDataAgeHours: number
}

/** Fail closed: no verdict, no package. */
export const defaultChoices: EcosystemChoices = {
  undetermined: 'block',
  minimumAgeHours: 0,
  ageExceptions: [],
  maximumDataAgeHours: 0,
}

export const noRules: DeploymentRules = { version: 0, overrides: new Map(), held: new Set(), choices: new Map() }

export function packageKey(ecosystem: EcosystemId, name: string): string {
  return `${ecosystem}\n${name}`
}

export function heldKey(advisoryId: string, ecosystem: EcosystemId, name: string): string {
  return `${advisoryId}\n${ecosystem}\n${name}`
}
