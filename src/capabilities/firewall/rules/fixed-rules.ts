import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { readableAge } from '../../../kernel/time/readable-age.ts'
import { defaultSettings } from '../verdicts/firewall-configuration.ts'
import type { FixedRule } from './api/rule-contract.ts'
import { type RuleEcosystem, ruleEcosystems } from './rule.ts'
import { ecosystemNames } from './rule-sentence.ts'

type Settings = {
  ecosystem: EcosystemId
  undetermined: 'block' | 'warn'
  held: 'block' | 'warn'
  minimumAgeHours: number
  ageExceptions: readonly string[]
}

/** What decides beside the list of rules, as sentences: the whole order can be read in one place. */
export function fixedRules(chosen: readonly Settings[]): FixedRule[] {
  const settings = ruleEcosystems.map(
    (ecosystem) => chosen.find((each) => each.ecosystem === ecosystem) ?? { ecosystem, ...defaultSettings },
  )
  const before: Omit<FixedRule, 'place'>[] = [
    { kind: 'private_names', sentence: 'Names that belong to you are asked of your own registries alone.' },
    { kind: 'overrides', sentence: 'What people allowed or denied is let in or refused.' },
    { kind: 'malicious', sentence: 'Refuse what an advisory calls malicious. No rule below lets it in.' },
    {
      kind: 'held_advisories',
      sentence: `${byChoice(settings, 'held')} what an advisory calls malicious that a person still has to decide about.`,
    },
    {
      kind: 'undetermined',
      sentence: `${byChoice(settings, 'undetermined')} a version about which nothing is known.`,
    },
  ]
  const after = settings.map(
    (each): FixedRule => ({ kind: 'minimum_age', place: 'after', sentence: ageSentence(each) }),
  )
  return [...before.map((each): FixedRule => ({ ...each, place: 'before' })), ...after]
}

function byChoice(settings: readonly Settings[], choice: 'held' | 'undetermined'): string {
  const lenient = settings.filter((each) => each[choice] === 'warn').map(({ ecosystem }) => nameOf(ecosystem))
  if (lenient.length === 0) return 'Refuse'
  return lenient.length === settings.length ? 'Warn about' : `Refuse (but for ${lenient.join(' and ')}, warn about)`
}

function ageSentence({ ecosystem, minimumAgeHours, ageExceptions }: Settings): string {
  const name = nameOf(ecosystem)
  if (minimumAgeHours === 0) return `Let in every other ${name} version, however new.`
  const rest = ageExceptions.length > 0 ? `, but for ${ageExceptions.length} named packages` : ''
  return `Hold back ${name} versions younger than ${readableAge(minimumAgeHours)}${rest}; urgent fixes come in at once.`
}

function nameOf(ecosystem: EcosystemId): string {
  return ecosystemNames[ecosystem as RuleEcosystem] ?? ecosystem
}
