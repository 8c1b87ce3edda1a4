import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { contains } from '../../../ecosystems/version-range.ts'
import { isoMinute } from '../../../kernel/time/iso-minute.ts'
import { readableAge } from '../../../kernel/time/readable-age.ts'
import { comparedPattern, coversName, type NamePattern } from '../patterns/name-pattern.ts'
import type { Question } from '../verdicts/verdict.ts'
import { versionKey } from '../version-key.ts'
import type { KnownVulnerability, Lack } from './known-package.ts'
import { holdsForLicence } from './licence-match.ts'
import { createResemblance } from './names/typosquat.ts'
import type { ReleaseFacts, ReleaseSignal } from './release-facts.ts'
import {
  asksArchive,
  canHonour,
  lookedUpSignals,
  type Rule,
  type RuleEcosystem,
  ruleSeverities,
  usualHoldHours,
} from './rule.ts'

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
      const patterns = rule.names.map((name) => comparedPattern(ecosystem, name))
      const licences = new Set(rule.licences?.map((each) => each.toLowerCase()))
      byEcosystem.set(ecosystem, [...(byEcosystem.get(ecosystem) ?? []), { rule, patterns, licences }])
    }
  }

  function decide(question: Question, now: Date): ListVerdict {
    const own = byEcosystem.get(question.ecosystem)
    if (!own) return nothing
    const { normalizeName, comparedName } = ecosystems[question.ecosystem]
    const [name, compared] = [normalizeName(question.name), comparedName(question.name)]
    const warnings: string[] = []
    let watched: RuleFinding | undefined
    let lacks: Lack | undefined
    const soFar = () => ({ warnings, ...(watched && { watched }), ...(lacks && { lacks }) })
    for (const each of own) {
      if (!covers(each, compared)) continue
      const { rule } = each
      const fit = fitOf(each, question, name, now)
      if (!fit) continue
      if ('lacks' in fit) {
        if (!lacks || lacks === 'archive') lacks = fit.lacks
        // It is fetched before it is looked into, and judged again then.
        if (fit.lacks === 'archive') continue
        // What only warns or watches refuses nothing, so it does not keep the others from deciding either.
        if (rule.effect === 'warn' || rule.mode === 'monitor') continue
        return { ...soFar(), isOpen: true }
      }
      if (rule.effect === 'warn') warnings.push(warningOf(rule, fit.because))
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
    const { normalizeName, comparedName } = ecosystems[ecosystem]
    const [name, compared] = [normalizeName(sent), comparedName(sent)]
    for (const each of byEcosystem.get(ecosystem) ?? []) {
      const { rule } = each
      if (rule.effect === 'warn' || rule.mode === 'monitor' || !covers(each, compared)) continue
      if (rule.condition !== 'always' || rule.effect !== 'refuse' || rule.spareInUse) return undefined
      return findingOf(rule, alwaysBecause(rule), { ecosystem, name, version: '' })
    }
    return undefined
  }

  /** Whether verdicts on an ecosystem need to know what the database says of a package. */
  const needsPackage = (ecosystem: EcosystemId) =>
    byEcosystem.get(ecosystem)?.some(({ rule }) => asksDatabase(rule) || asksArchive(ecosystem, rule)) ?? false

  return { rules, decide, refusesName, needsPackage }
}

/** An age gate lifts for urgent fixes, which advisories tell of; the deployment's own names are imitated too. */
function asksDatabase({ condition, effect, spareInUse = false }: Rule): boolean {
  if (spareInUse || condition === 'vulnerability' || condition === 'typosquat') return true
  return condition === 'younger_than' && effect !== 'allow'
}

function covers({ patterns }: Compiled, compared: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => coversName(pattern, compared))
}

function alwaysBecause({ effect, mode }: Rule): string {
  if (effect === 'warn') return 'Your organisation warns about it'
  return mode === 'monitor' ? 'Your organisation would keep it out' : 'Your organisation keeps it out'
}

function fitOf(compiled: Compiled, question: Question, name: string, now: Date): Fit {
  const { rule } = compiled
  if (rule.spareInUse && isSpared(rule, question)) return undefined
  if (rule.effect === 'hold' && rule.condition !== 'younger_than') {
    if (!question.publishedAt) return { lacks: 'metadata' }
    if (heldUntil(rule, question.publishedAt) <= now) return undefined
  }
  switch (rule.condition) {
    case 'always':
      return { because: alwaysBecause(rule) }
    case 'younger_than':
      return ageFit(rule, question, now)
    case 'vulnerability':
      return vulnerabilityFit(rule, question)
    case 'typosquat':
      return typosquatFit(question, name, now)
    default:
      return question.facts ? factFit(compiled, question, question.facts) : { lacks: 'metadata' }
  }
}

/** Packages that have been there for a year are no typosquats: those are found sooner. */
function typosquatFit({ ecosystem, facts, near: own }: Question, name: string, now: Date): Fit {
  const popular = resemblance.of(ecosystem as RuleEcosystem, name)
  const like = own?.name ?? popular
  if (like === undefined) return undefined
  if (!facts) return { lacks: 'metadata' }
  const days = facts.bornAt === undefined ? 0 : Math.floor((now.getTime() - facts.bornAt) / (24 * hourMs))
  if (days >= squatDays) return undefined
  const why = own ? (own.isPrivate ? 'belongs to you' : 'you use') : 'is widely used'
  return { because: `Its name is nearly that of ${like}, which ${why}, and the package is new` }
}

/** What a lockfile brought into a repository past the firewall is no reason to let in what is held for being new. */
function isSpared({ effect }: Rule, { ecosystem, version, inUse }: Question): boolean {
  if (!inUse) return false
  const key = versionKey(ecosystem, version)
  return inUse.given.has(key) || (effect === 'refuse' && inUse.present.has(key))
}

function ageFit(rule: Rule, question: Question, now: Date): Fit {
  const { hours = 0, effect } = rule
  if (!question.publishedAt) return { lacks: 'metadata' }
  if (question.publishedAt.getTime() + hours * hourMs <= now.getTime()) return undefined
  const lifting = effect === 'allow' ? 'no' : liftsAgeGate(question)
  if (lifting === 'unknown') return { lacks: 'metadata' }
  if (lifting === 'unless_archive') return { lacks: 'archive' }
  if (lifting === 'yes') return undefined
  const keepsOut = effect !== 'warn' && rule.mode === 'enforce'
  return {
    because: keepsOut
      ? `Versions younger than ${readableAge(hours)} are held back`
      : `It is younger than ${readableAge(hours)}`,
  }
}

function factFit({ rule, licences }: Compiled, question: Question, facts: ReleaseFacts): Fit {
  switch (rule.condition) {
    case 'release_signal': {
      const found = (seen: readonly ReleaseSignal[] = []) => seen.find(({ signal }) => rule.signals?.includes(signal))
      const shown = found(facts.signals) ?? found(question.archive?.signals)
      if (shown) return { because: shown.because }
      return hangsOnOthers(rule, facts) ? { lacks: 'dependencies' } : archiveLack(rule, question)
    }
    case 'licence': {
      const { licence = '' } = facts
      if (!holdsForLicence(rule, licence, licences)) return undefined
      return { because: licence === '' ? 'It names no licence' : `Its licence is ${licence}` }
    }
    case 'deprecated':
      if (facts.deprecated === undefined) return undefined
      return { because: `Its maintainers withdrew it${facts.deprecated && `: ${facts.deprecated.slice(0, 200)}`}` }
    case 'install_script':
      return scriptFit(facts.installScript ?? question.archive?.installScript) ?? archiveLack(rule, question)
    default:
      if (facts.exoticDependency === undefined) return undefined
      return { because: `It depends on ${facts.exoticDependency}, which does not come from a registry` }
  }
}

function scriptFit(script: string | undefined): Fit {
  return script === undefined ? undefined : { because: `It runs code when it is installed (${script})` }
}

function hangsOnOthers({ signals = [] }: Rule, { gained, siblings }: ReleaseFacts): boolean {
  const [young, burst] = lookedUpSignals.map((signal) => signals.includes(signal))
  return (young && gained !== undefined) || (burst && siblings !== undefined) || false
}

/** What the metadata does not show, the archive may. */
function archiveLack(rule: Rule, { ecosystem, digest, archive }: Question): Fit {
  if (digest === undefined || !asksArchive(ecosystem, rule)) return undefined
  if (!archive) return { lacks: 'archive' }
  return archive.isUnreadable ? { lacks: 'unreadable_archive' } : undefined
}

function vulnerabilityFit(rule: Rule, { ecosystem, version, vulnerabilities }: Question): Fit {
  if (!vulnerabilities) return { lacks: 'advisories' }
  const least = ruleSeverities.indexOf(rule.severity ?? 'low')
  const found = namesVersion(vulnerabilities, ecosystem, version).find(
    ({ severity, fixed, isExploited }) =>
      ruleSeverities.indexOf(severity as (typeof ruleSeverities)[number]) >= least &&
      (!rule.fixAvailable || fixed) &&
      (!rule.exploited || isExploited),
  )
  if (!found) return undefined
  const fix = found.fixed ? `; ${found.fixed} fixes it` : ''
  const grave = `${found.severity}${found.isExploited ? ', known to be exploited' : ''}`
  return { because: `${found.id} (${grave}) names this version${fix}` }
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
 * Whether an age gate gives way: the version is the fix of an advisory, high at least or known to be exploited, that names what
 * repositories of the deployment have; and nothing about the release is unusual. Where releases cannot be compared (Maven, Cargo, Go), it stays shut.
 */
export function liftsAgeGate(question: Question): 'yes' | 'no' | 'unknown' | 'unless_archive' {
  const { ecosystem, version, vulnerabilities, facts, archive, digest } = question
  if (!vulnerabilities?.some(({ isUrgent }) => isUrgent)) return 'no'
  const key = ecosystems[ecosystem].orderKey(version)
  const isFix = vulnerabilities.some(
    ({ isUrgent, fixed }) => isUrgent && fixed && Buffer.compare(ecosystems[ecosystem].orderKey(fixed), key) === 0,
  )
  if (!isFix || !canHonour(ecosystem, 'release_signal')) return 'no'
  if (!facts) return 'unknown'
  if (facts.signals.length > 0 || archive?.isUnreadable || (archive?.signals.length ?? 0) > 0) return 'no'
  return archive || digest === undefined ? 'yes' : 'unless_archive'
}

function heldUntil({ condition, hours = 0, holdHours = usualHoldHours }: Rule, publishedAt: Date): Date {
  return new Date(publishedAt.getTime() + (condition === 'younger_than' ? hours : holdHours) * hourMs)
}

function findingOf(rule: Rule, because: string, { publishedAt }: Question): RuleFinding {
  const kept = rule.effect === 'hold' && publishedAt
  const isWatching = rule.mode === 'monitor'
  const held = isWatching ? 'would be held' : 'is held'
  const until = kept ? ` It ${held} back until ${isoMinute(heldUntil(rule, publishedAt))}.` : ''
  const watching = isWatching ? ', which only watches' : ''
  const reason = `${because}.${until} This is rule ${rule.id} of your organisation${watching}.${noteOf(rule)}`
  return { ruleId: rule.id, rule: kept ? 'rule_hold' : 'rule_refuse', reason }
}

/** Nothing is refused by it, so it must not read like a refusal. */
function warningOf(rule: Rule, because: string): string {
  return rule.condition === 'always' && rule.note ? `${because}: ${rule.note}` : `${because}.${noteOf(rule)}`
}

function allowedBy(rule: Rule): { ruleId: number; reason: string } {
  return { ruleId: rule.id, reason: `Rule ${rule.id} of your organisation lets it in.${noteOf(rule)}` }
}

function noteOf({ note }: Rule): string {
  return note && ` ${note}`
}
