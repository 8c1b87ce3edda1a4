import type { RefusalFilter } from '../../../src/capabilities/firewall-activity/refusals/refusal-contract.ts'
import { firstOf, type Pair } from '../../app/address/address.ts'
import { type Period, timePeriodOf } from '../../app/address/period.ts'
import { notUnderstood, periodNames } from '../../app/address/understood.ts'
import { ecosystems } from '../../dependencies/question.ts'

/** What the record of refusals is searched by, as it stands in the address. */
export const refusalFields = [
  'package',
  'version',
  'ecosystem',
  'rule',
  'outcome',
  'person',
  'token',
  'advisory',
] as const
export type RefusalField = (typeof refusalFields)[number]

/** What decided a refusal, in words. */
export const ruleWords: Record<string, string> = {
  malicious: 'Known to be malicious',
  denied: 'Denied by your organisation',
  held: 'Held, waits for a decision',
  too_young: 'Too young',
  unknown_age: 'Age not known',
  no_advisories: 'No advisories loaded',
  missing_feed: 'A feed is missing',
  old_advisories: 'Advisories too old',
  rule_hold: 'Held back by a rule',
  rule_refuse: 'Refused by a rule',
  unknown_facts: 'Not enough known for a rule',
  private_name: 'Private, and nobody to ask',
  unknown: 'Not recorded',
}

/** What the reports count as malicious: what an advisory names, or the deployment denies. */
export const calledMalicious = 'called_malicious'
const maliciousRules = ['malicious', 'denied', 'held']

export const ruleChoices: Record<string, string> = {
  [calledMalicious]: 'Malicious, or denied by you',
  ...ruleWords,
}

/** What became of the request. */
export const outcomeWords: Record<string, string> = { refused: 'Refused', watched: 'Would have been refused' }

const isNumber = (text: string) => /^[1-9]\d{0,14}$/.test(text)

/** What of an address the record takes no notice of. */
export function lostRefusalPairs(pairs: readonly Pair[]): Pair[] {
  return notUnderstood(pairs, {
    ...periodNames,
    package: 'anything',
    version: 'anything',
    advisory: 'anything',
    ecosystem: ecosystems,
    rule: Object.keys(ruleChoices),
    outcome: Object.keys(outcomeWords),
    person: isNumber,
    token: isNumber,
  })
}

/** Undefined where nothing is filtered but the period. */
export function refusalFilter(pairs: readonly Pair[], period: Period): { filter: RefusalFilter; isNarrow: boolean } {
  const {
    package: name,
    version,
    ecosystem,
    rule,
    outcome,
    person,
    token,
    advisory,
  } = Object.fromEntries(refusalFields.map((field) => [field, firstOf(pairs, field)?.trim() || undefined])) as Partial<
    Record<RefusalField, string>
  >
  const number = (text: string | undefined) => (text && isNumber(text) ? [Number(text)] : undefined)
  const known = <Value extends string>(text: string | undefined, all: readonly Value[]) =>
    all.includes(text as Value) ? [text as Value] : undefined
  const narrow = {
    package: name?.slice(0, 400),
    version: version?.slice(0, 400),
    ecosystems: known(ecosystem, ecosystems) as RefusalFilter['ecosystems'],
    rules: (rule === calledMalicious ? maliciousRules : known(rule, Object.keys(ruleWords))) as RefusalFilter['rules'],
    watched: known(outcome, Object.keys(outcomeWords)) && outcome === 'watched',
    personIds: number(person),
    tokenIds: number(token),
    advisoryId: advisory?.slice(0, 400),
  }
  const given = Object.fromEntries(Object.entries(narrow).filter(([, value]) => value !== undefined))
  return { filter: { ...given, ...timePeriodOf(period) }, isNarrow: Object.keys(given).length > 0 }
}
