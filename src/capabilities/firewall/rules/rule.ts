import type { EcosystemId, ProxiedEcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { SignalName } from './release-facts.ts'

/** Ecosystems whose packages come through the firewall: only there can a rule be kept. */
export const ruleEcosystems = [
  'npm',
  'pypi',
  'maven',
  'cargo',
  'gomod',
] as const satisfies readonly ProxiedEcosystemId[]
export type RuleEcosystem = (typeof ruleEcosystems)[number]

export const conditionKinds = [
  'always',
  'younger_than',
  'release_signal',
  'vulnerability',
  'licence',
  'deprecated',
  'install_script',
  'exotic_dependency',
  'typosquat',
] as const
export type ConditionKind = (typeof conditionKinds)[number]

export const ruleEffects = ['allow', 'warn', 'hold', 'refuse'] as const
export type RuleEffect = (typeof ruleEffects)[number]

export const ruleSeverities = ['low', 'medium', 'high', 'critical'] as const
export type RuleSeverity = (typeof ruleSeverities)[number]

export type Rule = {
  id: number
  ecosystems: readonly RuleEcosystem[]
  /** Names and patterns in their stored form; none: every package. */
  names: readonly string[]
  condition: ConditionKind
  /** Of younger_than. */
  hours?: number
  /** Of release_signal. */
  signals?: readonly SignalName[]
  /** Of vulnerability: this severity or a higher one; and only where a version without it is known. */
  severity?: RuleSeverity
  fixAvailable?: boolean
  /** Of vulnerability: only where it is known to be exploited. */
  exploited?: boolean
  /** Of licence: whether it is one of these, or none of these. */
  licences?: readonly string[]
  licencesAre?: 'listed' | 'not_listed'
  effect: RuleEffect
  /** Of hold: how long from its publication. */
  holdHours?: number
  /** Leaves versions alone that the deployment has already, so that builds with lockfiles go on. */
  spareInUse?: boolean
  /** A rule that only watches refuses nothing; what it would have refused is on record. */
  mode: 'enforce' | 'monitor'
  note: string
}

/** What the metadata of a registry says, and so what a rule can ask of its packages. */
const honoured: Record<ConditionKind, readonly RuleEcosystem[]> = {
  always: ruleEcosystems,
  younger_than: ruleEcosystems,
  release_signal: ['npm', 'pypi'],
  vulnerability: ruleEcosystems,
  licence: ['npm'],
  deprecated: ['npm', 'pypi'],
  install_script: ['npm', 'pypi'],
  exotic_dependency: ['npm'],
  typosquat: ['npm', 'pypi'],
}

const honouredSignals: Record<SignalName, readonly RuleEcosystem[]> = {
  new_install_script: ['npm', 'pypi'],
  new_exotic_dependency: ['npm'],
  young_dependency: ['npm'],
  trust_lost: ['npm', 'pypi'],
  new_publisher: ['npm'],
  long_silence: ['npm', 'pypi'],
  sudden_size: ['npm', 'pypi'],
  two_majors: ['npm', 'pypi'],
  burst: ['npm', 'pypi'],
  source_only: ['pypi'],
  scope_burst: ['npm'],
  new_executable: ['pypi'],
}

export function canHonour(ecosystem: EcosystemId, condition: ConditionKind): boolean {
  return honoured[condition].some((each) => each === ecosystem)
}

/** Those that are seen when the artifact itself comes through, not in metadata. */
const archiveSignals: Partial<Record<RuleEcosystem, readonly SignalName[]>> = {
  npm: ['new_install_script'],
  pypi: ['new_install_script', 'new_executable'],
}

/** Those that hang on what other packages did. They are looked up of new releases alone. */
export const lookedUpSignals: readonly SignalName[] = ['young_dependency', 'scope_burst']

export function asksArchive(ecosystem: EcosystemId, { condition, signals = [] }: Rule): boolean {
  if (condition === 'install_script') return true
  return signals.some((signal) => archiveSignals[ecosystem as RuleEcosystem]?.includes(signal))
}

/** A rule about several signals may name one that an ecosystem does not have, but not none that it has. */
export function hasSignal(ecosystem: RuleEcosystem, signals: readonly SignalName[]): boolean {
  return signals.some((signal) => honouredSignals[signal].includes(ecosystem))
}

/** How long a release with a signal is held where the rule does not say it. Nearly all attacks of recent years were found within a day. */
export const usualHoldHours = 72
