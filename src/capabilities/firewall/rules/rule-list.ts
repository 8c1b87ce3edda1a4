import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { contains } from '../../../ecosystems/version-range.ts'
import { coversName, type NamePattern, namePattern } from '../patterns/name-pattern.ts'
import type { Question } from '../verdicts/verdict.ts'
import { versionKey } from '../version-key.ts'
import type { KnownVulnerability, Lack } from './known-package.ts'
import { isListedLicence } from './licence-match.ts'
import { canHonour, type Rule, type RuleEcosystem, ruleSeverities, usualHoldHours } from './rule.ts'
import { createResemblance } from './typosquat.ts'

/** What a rule decided about a version. */
export type RuleFinding = { ruleId: number; rule: 'rule_hold' | 'rule_refuse'; reason: string }

/** What the list says of a version. Where something is lacking it may say more later; `isOpen`: until then it says nothing. */
export type ListVerdict = {
  refused?: RuleFinding
  allowed?: { ruleId: number; reason: string }
  lacks?: Lack
  isOpen?: boolean
  /** What a rule that only watches would have refused. */
  watched?: RuleFinding
  warnings: readonly string[]
}

export type RuleList = ReturnType<typeof createRuleList>

/** A reason, or undefined where the condition does not hold. */
type Fit = { because: string } | { lacks: Lack } | undefined
type Compiled = { rule: Rule; patterns: readonly NamePattern[]; licences: ReadonlySet<string> }

const hourMs = 3_600_000
const squatDays = 365
const nothing: ListVerdict = { warnings: [] }
const resemblance = createResemblance()

/** The rules of a deployment, in their order: the first that lets a version in or keeps it out decides, warnings add up. */
export function createRuleList(rules: readonly Rule[]) {
  const byEcosystem = new Map<EcosystemId, Compiled[]>()
  for (const rule of rules) {
    for (const ecosystem of rule.ecosystems) {
      const patterns = rule.names.map((name) => namePattern(ecosystem, name))
      const licences = new Set(rule.licences?.map((each) => each.toLowerCase()))
      byEcosystem.set(ecosystem, [...(byEcosystem.get(ecosystem) ?? []), { rule, patterns, licences }])
    }
  }

  function decide(question: Question, now: Date): ListVerdict {
    const own = byEcosystem.get(question.ecosystem)
    if (!own) return nothing
    const name = ecosystems[question.ecosystem].normalizeName(question.name)
    const warnings: string[] = []
    let watched: RuleFinding | undefined
    let lacks: Lack | undefined
    const soFar = () => ({ warnings, ...(watched && { watched }), ...(lacks && { lacks }) })
    for (const each of own) {
      if (!covers(each, name)) continue
      const { rule } = each
      const fit = fitOf(each, question, name, now)
      if (!fit) continue
      if ('lacks' in fit) {
        lacks ??= fit.lacks
        // What only warns or watches refuses nothing, so it does not keep the others from deciding either.
        if (rule.effect === 'warn' || rule.mode === 'monitor') continue
        return { ...soFar(), isOpen: true }
      }
      if (rule.effect === 'warn') warnings.push(`${fit.because}.${noteOf(rule)}`)
      else if (rule.effect === 'allow') return { ...soFar(), allowed: allowedBy(rule) }
      else {
        const found = findingOf(rule, fit.because, question)
        if (rule.mode === 'enforce') return { ...soFar(), refused: found }
        watched ??= found
      }
    }
    return soFar()
  }

  /** The rule that keeps out every version of a name, where that is the first word about it. */
  function refusesName(ecosystem: EcosystemId, sent: string): RuleFinding | undefined {
    const name = ecosystems[ecosystem].normalizeName(sent)
    for (const each of byEcosystem.get(ecosystem) ?? []) {
      const { rule } = each
      if (rule.effect === 'warn' || rule.mode === 'monitor' || !covers(each, name)) continue
      if (rule.condition !== 'always' || rule.effect !== 'refuse' || rule.spareInUse) return undefined
      return findingOf(rule, alwaysBecause, { ecosystem, name, version: '' })
    }
    return undefined
  }

  /** Whether verdicts on an ecosystem need to know what the database says of a package. */
  const needsPackage = (ecosystem: EcosystemId) =>
    byEcosystem.get(ecosystem)?.some(({ rule }) => asksDatabase(rule)) ?? false

  return { rules, decide, refusesName, needsPackage }
}

/** An age gate lifts for urgent fixes, which advisories tell of. */
function asksDatabase({ condition, effect, spareInUse = false }: Rule): boolean {
  return spareInUse || condition === 'vulnerability' || (condition === 'younger_than' && effect !== 'allow')
}

function covers({ patterns }: Compiled, name: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => coversName(pattern, name))
}

const alwaysBecause = 'Your organisation keeps it out'

function fitOf(compiled: Compiled, question: Question, name: string, now: Date): Fit {
  const { rule } = compiled
  if (rule.spareInUse && isSpared(rule, question)) return undefined
  if (rule.effect === 'hold' && rule.condition !== 'younger_than') {
    if (!question.publishedAt) return { lacks: 'metadata' }
    if (heldUntil(rule, question.publishedAt) <= now) return undefined
  }
  switch (rule.condition) {
    case 'always':
      return { because: alwaysBecause }
    case 'younger_than':
      return ageFit(rule, question, now)
    case 'vulnerability':
      return vulnerabilityFit(rule, question)
    case 'typosquat':
      return typosquatFit(question, name, now)
    default:
      return question.facts ? factFit(compiled, question.facts) : { lacks: 'metadata' }
  }
}

/** Packages that have been there for a year are no typosquats: those are found sooner. */
function typosquatFit({ ecosystem, facts }: Question, name: string, now: Date): Fit {
  const near = resemblance.of(ecosystem as RuleEcosystem, name)
  if (near === undefined) return undefined
  if (!facts) return { lacks: 'metadata' }
  const days = facts.bornAt === undefined ? 0 : Math.floor((now.getTime() - facts.bornAt) / (24 * hourMs))
  if (days >= squatDays) return undefined
  return { because: `Its name is nearly that of ${near}, which is widely used, and the package is new` }
}

/** What a lockfile brought into a repository past the firewall is no reason to let in what is held for being new. */
function isSpared({ effect }: Rule, { ecosystem, version, inUse }: Question): boolean {
  if (!inUse) return false
  const key = versionKey(ecosystem, version)
  return inUse.given.has(key) || (effect === 'refuse' && inUse.present.has(key))
}

function ageFit({ hours = 0, effect }: Rule, question: Question, now: Date): Fit {
  if (!question.publishedAt) return { lacks: 'metadata' }
  if (question.publishedAt.getTime() + hours * hourMs <= now.getTime()) return undefined
  const lifting = effect === 'allow' ? 'no' : liftsAgeGate(question)
  if (lifting === 'unknown') return { lacks: 'metadata' }
  return lifting === 'yes' ? undefined : { because: `Versions younger than ${hours} hours are held back` }
}

function factFit({ rule, licences }: Compiled, facts: NonNullable<Question['facts']>): Fit {
  switch (rule.condition) {
    case 'release_signal': {
      const found = facts.signals.find(({ signal }) => rule.signals?.includes(signal))
      if (found) return { because: found.because }
      const isUnsure = rule.signals?.includes('young_dependency') && facts.gained && facts.gained.length > 0
      return isUnsure ? { lacks: 'dependencies' } : undefined
    }
    case 'licence': {
      const { licence = '' } = facts
      const isListed = isListedLicence(licence, licences)
      if (isListed !== (rule.licencesAre === 'listed')) return undefined
      return { because: licence === '' ? 'It names no licence' : `Its licence is ${licence}` }
    }
    case 'deprecated':
      if (facts.deprecated === undefined) return undefined
      return { because: `Its maintainers withdrew it${facts.deprecated && `: ${facts.deprecated.slice(0, 200)}`}` }
    case 'install_script':
      if (facts.installScript === undefined) return undefined
      return { because: `It runs code when it is installed (${facts.installScript})` }
    default:
      if (facts.exoticDependency === undefined) return undefined
      return { because: `It depends on ${facts.exoticDependency}, which does not come from a registry` }
  }
}

function vulnerabilityFit(rule: Rule, { ecosystem, version, vulnerabilities }: Question): Fit {
  if (!vulnerabilities) return { lacks: 'advisories' }
  const least = ruleSeverities.indexOf(rule.severity ?? 'low')
  const found = namesVersion(vulnerabilities, ecosystem, version).find(
    ({ severity, fixed }) =>
      ruleSeverities.indexOf(severity as (typeof ruleSeverities)[number]) >= least && (!rule.fixAvailable || fixed),
  )
  if (!found) return undefined
  const fix = found.fixed ? `; ${found.fixed} fixes it` : ''
  return { because: `${found.id} (${found.severity}) names this version${fix}` }
}

function namesVersion(
  vulnerabilities: readonly KnownVulnerability[],
  ecosystem: EcosystemId,
  version: string,
): KnownVulnerability[] {
  if (vulnerabilities.length === 0) return []
  const key = ecosystems[ecosystem].orderKey(version)
  return vulnerabilities.filter(({ interval }) => contains(interval, key))
}

/**
 * Whether an age gate gives way: the version is the fix of an advisory, high at least, that names what repositories of the deployment
 * have; and nothing about the release is unusual. Where releases cannot be compared (Maven, Cargo, Go), it stays shut.
 */
export function liftsAgeGate({ ecosystem, version, vulnerabilities, facts }: Question): 'yes' | 'no' | 'unknown' {
  if (!vulnerabilities?.some(({ isUrgent }) => isUrgent)) return 'no'
  const key = ecosystems[ecosystem].orderKey(version)
  const isFix = vulnerabilities.some(
    ({ isUrgent, fixed }) => isUrgent && fixed && Buffer.compare(ecosystems[ecosystem].orderKey(fixed), key) === 0,
  )
  if (!isFix || !canHonour(ecosystem, 'release_signal')) return 'no'
  if (!facts) return 'unknown'
  return facts.signals.length === 0 ? 'yes' : 'no'
}

function heldUntil({ condition, hours = 0, holdHours = usualHoldHours }: Rule, publishedAt: Date): Date {
  return new Date(publishedAt.getTime() + (condition === 'younger_than' ? hours : holdHours) * hourMs)
}

function findingOf(rule: Rule, because: string, { publishedAt }: Question): RuleFinding {
  const kept = rule.effect === 'hold' && publishedAt
  const until = kept ? ` It is held back until ${heldUntil(rule, publishedAt).toISOString()}.` : ''
  const reason = `${because}.${until} This is rule ${rule.id} of your organisation.${noteOf(rule)}`
  return { ruleId: rule.id, rule: kept ? 'rule_hold' : 'rule_refuse', reason }
}

function allowedBy(rule: Rule): { ruleId: number; reason: string } {
  return { ruleId: rule.id, reason: `Rule ${rule.id} of your organisation lets it in.${noteOf(rule)}` }
}

function noteOf({ note }: Rule): string {
  return note && ` ${note}`
}
