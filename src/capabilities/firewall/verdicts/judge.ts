import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { isoMinute } from '../../../kernel/time/iso-minute.ts'
import { readableAge } from '../../../kernel/time/readable-age.ts'
import { comparedPattern, coversName } from '../patterns/name-pattern.ts'
import type { Lack } from '../rules/known-package.ts'
import { type ListVerdict, liftsAgeGate, type RuleFinding } from '../rules/rule-list.ts'
import { versionKey } from '../version-key.ts'
import {
  defaultSettings,
  type EcosystemSettings,
  emptyConfiguration,
  type FirewallConfiguration,
  reviewKey,
} from './firewall-configuration.ts'
import type { Override } from './override-table.ts'
import type { Malice, Question, Verdict, VerdictRule } from './verdict.ts'
import type { VerdictIndex } from './verdict-index.ts'

/**
 * What is known about malicious packages, and since when that was not looked at again. While a feed has never come in, nobody
 * knows what it would have said: what is known then is enough to refuse a package and not enough to let one pass.
 */
export type VerdictData = {
  index: Pick<VerdictIndex, 'match' | 'matchWhole' | 'matchAny'>
  checkedAt: Date
  missesFeed: boolean
}

type Judgement = Pick<Verdict, 'decision' | 'rule' | 'reason' | 'watched' | 'warnings' | 'ruleId' | 'lacks'> & {
  advisoryIds?: readonly string[]
}

const hourMs = 3_600_000
const none: readonly string[] = []

/** What is refused also where a deployment only watches: nobody lets malware in to see what happens. */
const alwaysRefused: ReadonlySet<VerdictRule> = new Set(['malicious', 'held', 'denied'])

/**
 * The order of precedence: what people of the deployment decided, then the advisories, then those that wait for a person, then
 * whether there is enough to go by, then the list of rules, then the age gate. Pure, and the same for metadata and artifacts.
 */
export function judge(
  knowledge: VerdictData | undefined,
  configuration: FirewallConfiguration = emptyConfiguration,
  question: Question,
  now: Date,
): Verdict {
  const choices = configuration.choices.get(question.ecosystem) ?? defaultSettings
  const found =
    byOverride(configuration, question, now) ?? byAdvisories(knowledge, configuration, choices, question, now)
  const refuse = isRefused(found.decision, choices)
  const verdict = shown(found, refuse, knowledge, now)
  return refuse && configuration.isWatching ? onlyWatched(verdict) : verdict
}

/** Written out, where spreading would be shorter: it is made for every version of every document of metadata. */
function shown(found: Judgement, refuse: boolean, knowledge: VerdictData | undefined, now: Date): Verdict {
  const { advisoryIds = none } = found
  return { ...found, advisoryIds, refuse, dataAgeSeconds: knowledge ? secondsSince(knowledge.checkedAt, now) : null }
}

function onlyWatched(verdict: Verdict): Verdict {
  const { rule, reason } = verdict
  return alwaysRefused.has(rule) ? verdict : { ...verdict, refuse: false, watched: { rule, reason } }
}

/**
 * The verdict on every version of a package, where there is one: known malware is refused by its name, before anybody is asked
 * about it. Where some version is allowed, held or released, or only some are named, it takes the version.
 */
export function judgeName(
  knowledge: VerdictData | undefined,
  configuration: FirewallConfiguration = emptyConfiguration,
  { ecosystem, name, gone = false }: Pick<Question, 'ecosystem' | 'name'> & { gone?: boolean | undefined },
  now: Date,
): Verdict | undefined {
  const { denied, isOpen } = configuration.overrides.findWhole(ecosystem, name, now)
  if (isOpen) return undefined
  const found = denied ? shownOverride(denied) : byNamedWhole(knowledge, configuration, ecosystem, name, gone)
  const ruled = found || configuration.isWatching ? undefined : configuration.list.refusesName(ecosystem, name)
  const judgement = found ?? (ruled && refusedBy(ruled))
  return judgement && shown(judgement, true, knowledge, now)
}

function byNamedWhole(
  knowledge: VerdictData | undefined,
  { holds }: FirewallConfiguration,
  ecosystem: EcosystemId,
  name: string,
  gone: boolean,
): Judgement | undefined {
  const named = gone ? knowledge?.index.matchAny(ecosystem, name) : knowledge?.index.matchWhole(ecosystem, name)
  const advisoryIds = named?.filter((id) => !holds.has(reviewKey(id, ecosystem, name))) ?? []
  if (advisoryIds.length === 0) return undefined
  const rest = gone ? 'Its registry has it no longer.' : ''
  return { ...malicious(advisoryIds, rest) }
}

function malicious(advisoryIds: readonly string[], rest = ''): Judgement {
  const shown = advisoryIds.length > 10 ? [...advisoryIds.slice(0, 10), 'and more'] : advisoryIds
  const reason = `Known to be malicious: ${shown.join(', ')}.${rest && ` ${rest}`}`
  return { decision: 'block', rule: 'malicious', reason, advisoryIds }
}

function secondsSince(past: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - past.getTime()) / 1000))
}

function isRefused(decision: Verdict['decision'], choices: EcosystemSettings): boolean {
  if (decision === 'held' || decision === 'undetermined') return choices[decision] === 'block'
  return decision === 'block'
}

/**
 * Which advisories call it malicious, whatever else would refuse it: that a deployment denies it as well makes it no less so.
 * `pardon` says why people of the deployment allow it all the same.
 */
export function maliceOf(
  knowledge: VerdictData | undefined,
  configuration: FirewallConfiguration = emptyConfiguration,
  question: Question,
  now: Date,
): Malice {
  const { blocking: advisoryIds, held } = knowledge
    ? advisoriesNaming(knowledge, configuration, question)
    : nothingNamed
  const heldIds = advisoryIds.length === 0 ? held : []
  if (advisoryIds.length + heldIds.length === 0) return { advisoryIds, heldIds, pardon: '' }
  const chosen = byOverride(configuration, question, now)
  return { advisoryIds, heldIds, pardon: chosen?.decision === 'allow' ? chosen.reason : '' }
}

function byOverride(
  { overrides }: FirewallConfiguration,
  { ecosystem, name, version }: Question,
  now: Date,
): Judgement | undefined {
  const chosen = overrides.find(ecosystem, name, version, now)
  return chosen && shownOverride(chosen)
}

function shownOverride({ id, effect, reason }: Override): Judgement {
  if (effect === 'allow')
    return { decision: 'allow', rule: 'allowed', reason: `Allowed by your organisation: ${reason}` }
  const denied = `Denied by your organisation: ${reason}`
  return { decision: 'block', rule: 'denied', reason: denied, advisoryIds: [`override-${id}`] }
}

function byAdvisories(
  knowledge: VerdictData | undefined,
  configuration: FirewallConfiguration,
  choices: EcosystemSettings,
  question: Question,
  now: Date,
): Judgement {
  if (!knowledge) return { decision: 'undetermined', rule: 'no_advisories', reason: noData }
  const { blocking: advisoryIds, held, released } = advisoriesNaming(knowledge, configuration, question)
  if (advisoryIds.length > 0) return malicious(advisoryIds)
  if (held.length > 0 && choices.held === 'block') return byHold(held, 'it is refused')
  const version = ecosystems[question.ecosystem].versionOfBuild(question.version)
  const whole = version === question.version ? question : { ...question, version }
  const found = byTheRest(knowledge, configuration, choices, whole, now)
  if (found.decision !== 'allow') return found
  if (held.length > 0) return byHold(held, 'it passes with a warning')
  return released.length > 0 ? { ...found, reason: released.join(' ') } : found
}

function byHold(advisoryIds: readonly string[], meanwhile: string): Judgement {
  const named = advisoryIds.length === 1 ? `${advisoryIds[0]} names` : `${advisoryIds.join(', ')} name`
  const reason =
    `Held: ${named} every version of it as malicious. Several repositories of your organisation have had this version for ` +
    `a while, so an owner or admin decides whether that is a mistake; until then ${meanwhile}.`
  return { decision: 'held', rule: 'held', reason, advisoryIds }
}

function byTheRest(
  knowledge: VerdictData,
  { list }: FirewallConfiguration,
  choices: EcosystemSettings,
  question: Question,
  now: Date,
): Judgement {
  if (knowledge.missesFeed) return { decision: 'undetermined', rule: 'missing_feed', reason: missingFeed }
  const limitMs = choices.maximumDataAgeHours * hourMs
  if (limitMs > 0 && now.getTime() - knowledge.checkedAt.getTime() > limitMs) {
    const reason = `The advisories have not been refreshed for more than ${readableAge(choices.maximumDataAgeHours)}.`
    return { decision: 'undetermined', rule: 'old_advisories', reason }
  }
  const listed = list.decide(question, now)
  const found = byList(listed) ?? byAge(choices, question, now) ?? nothingAgainst
  return withAsides(found, listed)
}

const nothingAgainst: Judgement = { decision: 'allow', rule: 'none', reason: 'No advisory calls it malicious.' }

function byList({ refused, allowed, isOpen, lacks }: ListVerdict): Judgement | undefined {
  if (refused) return refusedBy(refused)
  if (allowed) return { decision: 'allow', rule: 'rule_allow', ...allowed }
  return isOpen && lacks ? { decision: 'undetermined', rule: 'unknown_facts', reason: unknownFacts[lacks] } : undefined
}

function refusedBy(finding: RuleFinding): Judgement {
  return { decision: 'block', ...finding }
}

const unknownFacts: Record<Lack, string> = {
  metadata: 'A rule of your organisation asks what its registry says of this version, and that is not known.',
  dependencies:
    'A rule of your organisation asks for packages that it names, and what their registry says of them is not known.',
  archive: 'A rule of your organisation asks what is in its archive, and that is not known.',
  unreadable_archive: 'A rule of your organisation asks what is in its archive, and that cannot be read.',
  advisories: 'A rule of your organisation asks for its vulnerabilities, and they cannot be looked up now.',
}

function withAsides(found: Judgement, { watched, warnings, lacks }: ListVerdict): Judgement {
  if (!watched && !lacks && warnings.length === 0) return found
  return {
    ...found,
    ...(watched && { watched: { rule: watched.rule, reason: watched.reason } }),
    ...(lacks && { lacks }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** The advisories that name a version, by what became of them in the deployment; of released ones a sentence each. */
type Named = { blocking: readonly string[]; held: readonly string[]; released: readonly string[] }

const nothingNamed: Named = { blocking: none, held: none, released: none }

function advisoriesNaming(
  { index }: VerdictData,
  { holds }: FirewallConfiguration,
  { ecosystem, name, version }: Question,
): Named {
  const whole = ecosystems[ecosystem].versionOfBuild(version)
  const own = index.match(ecosystem, name, version)
  const advisoryIds = whole === version ? own : [...new Set([...own, ...index.match(ecosystem, name, whole)])]
  if (advisoryIds.length === 0) return nothingNamed
  if (holds.size === 0) return { blocking: advisoryIds, held: none, released: none }
  const keys = [version, whole].map((each) => versionKey(ecosystem, each))
  const named = { blocking: [] as string[], held: [] as string[], released: [] as string[] }
  for (const id of advisoryIds) {
    const hold = holds.get(reviewKey(id, ecosystem, name))
    if (hold?.state === 'released') named.released.push(`${id} names it; your organisation released it: ${hold.reason}`)
    else named[keys.some((key) => hold?.versions.has(key)) ? 'held' : 'blocking'].push(id)
  }
  return named
}

const noData =
  'No advisories have been loaded yet, so nothing can be said about any package. ' +
  "The operator of Gatehouse loads them with 'gatehouse feed sync' or the setting GATEHOUSE_FEED."

const missingFeed =
  'Not every feed of advisories has come in yet, so nothing can be said about what none of the others names. ' +
  "The operator of Gatehouse sees which is missing with 'gatehouse doctor'."

function byAge(choices: EcosystemSettings, question: Question, now: Date): Judgement | undefined {
  const { ecosystem, name, publishedAt } = question
  const hours = choices.minimumAgeHours
  if (hours === 0 || isExcepted(ecosystem, choices.ageExceptions, name)) return undefined
  if (!publishedAt) {
    const reason =
      `Versions younger than ${readableAge(hours)} are held back, and its registry does not say how old it is. ` +
      'If it is your own package, an owner or admin names it in the settings of the firewall (ageExceptions).'
    return { decision: 'undetermined', rule: 'unknown_age', reason }
  }
  const free = new Date(publishedAt.getTime() + hours * hourMs)
  if (free <= now) return undefined
  const lifting = liftsAgeGate(question)
  if (lifting === 'yes') return undefined
  if (lifting === 'unless_archive') return { ...nothingAgainst, lacks: 'archive' }
  const lacks = lifting === 'unknown' ? { lacks: 'metadata' as const } : {}
  const reason = `Versions younger than ${readableAge(hours)} are held back; this one until ${isoMinute(free)}.`
  return { decision: 'block', rule: 'too_young', reason, ...lacks }
}

function isExcepted(ecosystem: EcosystemId, exceptions: readonly string[], name: string): boolean {
  const compared = ecosystems[ecosystem].comparedName(name)
  return exceptions.some((each) => coversName(comparedPattern(ecosystem, each), compared))
}
