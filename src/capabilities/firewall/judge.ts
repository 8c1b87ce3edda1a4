import { ecosystems } from '../../ecosystems/registry.ts'
import {
  type DeploymentRules,
  defaultChoices,
  type EcosystemChoices,
  heldKey,
  noRules,
  type Override,
  packageKey,
} from './deployment-rules.ts'
import type { Malice, Question, Verdict } from './verdict.ts'
import type { VerdictIndex } from './verdict-index.ts'

/**
 * What is known about malicious packages, and since when that was not looked at again. While a feed has never come in, nobody
 * knows what it would have said: what is known then is only enough for ecosystems that other feeds tell of.
 */
export type Knowledge = { index: Pick<VerdictIndex, 'match' | 'tellsOf'>; checkedAt: Date; missesFeed: boolean }

type Found = Pick<Verdict, 'decision' | 'reason'> & { advisoryIds?: readonly string[] }

const hourMs = 3_600_000

/**
 * The order of precedence: what people of the deployment decided, then the advisories, then whether there is enough to go
 * by, then the age gate. Pure, and the same for metadata and artifacts.
 */
export function judge(
  knowledge: Knowledge | undefined,
  rules: DeploymentRules = noRules,
  question: Question,
  now: Date,
): Verdict {
  const choices = rules.choices.get(question.ecosystem) ?? defaultChoices
  const found = byOverride(rules, question, now) ?? byAdvisories(knowledge, rules, choices, question, now)
  const refuse = found.decision === 'block' || (found.decision === 'undetermined' && choices.undetermined === 'block')
  const dataAgeSeconds = knowledge ? Math.max(0, (now.getTime() - knowledge.checkedAt.getTime()) / 1000) : null
  return { advisoryIds: [], ...found, refuse, dataAgeSeconds: dataAgeSeconds && Math.floor(dataAgeSeconds) }
}

/**
 * Which advisories call it malicious, whatever else would refuse it: that a deployment denies it as well makes it no less so.
 * `pardon` says why people of the deployment allow it all the same.
 */
export function maliceOf(
  knowledge: Knowledge | undefined,
  rules: DeploymentRules = noRules,
  question: Question,
  now: Date,
): Malice {
  const advisoryIds = knowledge ? advisoriesNaming(knowledge, rules, question) : []
  if (advisoryIds.length === 0) return { advisoryIds, pardon: '' }
  const chosen = byOverride(rules, question, now)
  return { advisoryIds, pardon: chosen?.decision === 'allow' ? chosen.reason : '' }
}

/** One for the very version outranks one for all of them; between two of a kind, deny wins. */
function byOverride(
  { overrides }: DeploymentRules,
  { ecosystem, name, version }: Question,
  now: Date,
): Found | undefined {
  if (overrides.size === 0) return undefined
  const { normalizeName, compare } = ecosystems[ecosystem]
  const live = overrides
    .get(packageKey(ecosystem, normalizeName(name)))
    ?.filter((each) => !each.expiresAt || each.expiresAt > now)
    .filter((each) => each.version === '' || compare(each.version, version) === 0)
  if (!live || live.length === 0) return undefined
  const exact = live.filter((each) => each.version !== '')
  const ranked = exact.length > 0 ? exact : live
  const chosen = ranked.find((each) => each.effect === 'deny') ?? ranked[0]!
  return shownOverride(chosen)
}

function shownOverride({ id, effect, reason }: Override): Found {
  if (effect === 'allow') return { decision: 'allow', reason: `Allowed by your organisation: ${reason}` }
  return { decision: 'block', reason: `Denied by your organisation: ${reason}`, advisoryIds: [`override-${id}`] }
}

function byAdvisories(
  knowledge: Knowledge | undefined,
  rules: DeploymentRules,
  choices: EcosystemChoices,
  question: Question,
  now: Date,
): Found {
  if (!knowledge) return { decision: 'undetermined', reason: noData }
  const advisoryIds = advisoriesNaming(knowledge, rules, question)
  if (advisoryIds.length > 0) {
    return { decision: 'block', reason: `Known to be malicious: ${advisoryIds.join(', ')}.`, advisoryIds }
  }
  if (knowledge.missesFeed && !knowledge.index.tellsOf(question.ecosystem)) {
    return { decision: 'undetermined', reason: missingFeed }
  }
  const limitMs = choices.maximumDataAgeHours * hourMs
  if (limitMs > 0 && now.getTime() - knowledge.checkedAt.getTime() > limitMs) {
    const reason = `The advisories have not been refreshed for more than ${choices.maximumDataAgeHours} hours.`
    return { decision: 'undetermined', reason }
  }
  return byAge(choices, question, now) ?? { decision: 'allow', reason: 'No advisory names it.' }
}

function advisoriesNaming(
  { index }: Knowledge,
  { held }: DeploymentRules,
  { ecosystem, name, version }: Question,
): readonly string[] {
  const advisoryIds = index.match(ecosystem, name, version)
  if (advisoryIds.length === 0 || held.size === 0) return advisoryIds
  const normalized = ecosystems[ecosystem].normalizeName(name)
  return advisoryIds.filter((id) => !held.has(heldKey(id, ecosystem, normalized)))
}

const noData =
  'No advisories have been loaded yet, so nothing can be said about any package. ' +
  "The operator of Gatehouse loads them with 'gatehouse feed sync' or the setting GATEHOUSE_FEED."

const missingFeed =
  'A feed of advisories has never come in, and no other one tells of packages of this kind, so nothing can be said about it. ' +
  "The operator of Gatehouse sees which with 'gatehouse doctor'."

function byAge(choices: EcosystemChoices, { ecosystem, name, publishedAt }: Question, now: Date): Found | undefined {
  const hours = choices.minimumAgeHours
  if (hours === 0 || isExcepted(choices.ageExceptions, ecosystems[ecosystem].normalizeName(name))) return undefined
  if (!publishedAt) {
    const reason = `Versions younger than ${hours} hours are held back, and its registry does not say how old it is.`
    return { decision: 'undetermined', reason }
  }
  const free = new Date(publishedAt.getTime() + hours * hourMs)
  if (free <= now) return undefined
  const reason = `Versions younger than ${hours} hours are held back; this one until ${free.toISOString()}.`
  return { decision: 'block', reason }
}

function isExcepted(exceptions: readonly string[], name: string): boolean {
  return exceptions.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))
}
