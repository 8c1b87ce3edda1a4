import { Fault } from '../../../kernel/contract/fault.ts'
import { fewestCharacters, readNamePattern } from '../patterns/name-pattern.ts'
import type { NewRule } from './api/rule-contract.ts'
import { type ConditionKind, canHonour, hasSignal, lookedUpSignals, type Rule, type RuleEcosystem } from './rule.ts'

/** The fields of each condition: what must be there, and what may. Those of others would look as if they did something. */
const conditionFields: Partial<Record<ConditionKind, { must: (keyof NewRule)[]; may?: (keyof NewRule)[] }>> = {
  younger_than: { must: ['hours'] },
  release_signal: { must: ['signals'] },
  vulnerability: { must: ['severity'], may: ['fixAvailable', 'exploited'] },
  licence: { must: ['licences', 'licencesAre'] },
}
const allConditionFields: (keyof NewRule)[] = [
  'hours',
  'signals',
  'severity',
  'fixAvailable',
  'exploited',
  'licences',
  'licencesAre',
]

type Numbered = { rules: readonly Rule[]; lastId: number }

/** Rules in their stored form. What is not understood or cannot be kept is refused: it would look like a rule and protect nothing. */
export function checkedRules(sent: readonly NewRule[], known: Numbered): { rules: Rule[]; lastId: number } {
  const knownIds = new Set(known.rules.map(({ id }) => id))
  let { lastId } = known
  const used = new Set<number>()
  const rules = sent.map((rule, at) => {
    if (rule.id !== undefined && (!knownIds.has(rule.id) || used.has(rule.id)))
      throw wrong(at, 'id', used.has(rule.id) ? 'is there twice' : 'is not the number of a rule of the list')
    const id = rule.id ?? ++lastId
    used.add(id)
    return { ...checkedRule(rule, at), id }
  })
  return { rules, lastId }
}

function checkedRule(rule: NewRule, at: number): Omit<Rule, 'id'> {
  const ecosystems = [...new Set(rule.ecosystems)]
  for (const ecosystem of ecosystems) checkHonour(rule, ecosystem, at)
  checkFields(rule, at)
  const names = rule.names.map((name, place) => storedName(rule, name, at, place))
  return { ...rule, ecosystems, names }
}

function checkHonour({ condition, signals = [] }: NewRule, ecosystem: RuleEcosystem, at: number): void {
  if (!canHonour(ecosystem, condition))
    throw wrong(at, 'ecosystems', `has ${ecosystem}, whose registry does not tell what ${condition} asks for`)
  if (condition === 'release_signal' && !hasSignal(ecosystem, signals))
    throw wrong(at, 'signals', `has none that a release of ${ecosystem} can show`)
}

function checkFields(rule: NewRule, at: number): void {
  const { must, may = [] } = conditionFields[rule.condition] ?? { must: [] }
  for (const field of must) if (rule[field] === undefined) throw wrong(at, field, `is needed for ${rule.condition}`)
  const strange = allConditionFields.find(
    (field) => rule[field] !== undefined && !must.includes(field) && !may.includes(field),
  )
  if (strange) throw wrong(at, strange, `says nothing for ${rule.condition}`)
  const { effect, condition } = rule
  if (effect === 'hold' && condition === 'always')
    throw wrong(at, 'condition', 'must say when; to hold back what is new, use younger_than')
  const lookedUp = rule.signals?.find((signal) => lookedUpSignals.includes(signal))
  if (effect !== 'hold' && lookedUp)
    throw wrong(at, 'signals', `has ${lookedUp}, which is looked up only for new releases: use hold`)
  if (rule.holdHours !== undefined && (effect !== 'hold' || condition === 'younger_than'))
    throw wrong(at, 'holdHours', effect === 'hold' ? 'says nothing for younger_than, which has hours' : 'is for hold')
  if (rule.mode === 'monitor' && (effect === 'allow' || effect === 'warn'))
    throw wrong(at, 'mode', `must be enforce: ${effect} refuses nothing that could be watched`)
  if (rule.spareInUse !== undefined && (effect === 'allow' || effect === 'warn'))
    throw wrong(at, 'spareInUse', `says nothing for ${effect}, which refuses nothing`)
  if (effect === 'allow' && condition === 'always' && rule.names.length === 0)
    throw wrong(at, 'names', 'must name something: a rule that lets everything in would end the list')
}

function storedName({ ecosystems, effect }: NewRule, name: string, at: number, place: number): string {
  const stored = new Set<string>()
  for (const ecosystem of ecosystems) {
    const read = readNamePattern(ecosystem, name)
    if ('problem' in read) throw wrong(at, `names/${place}`, `${read.problem} (${ecosystem})`)
    stored.add(read.name)
  }
  const [first = '', ...others] = stored
  if (others.length > 0)
    throw wrong(at, `names/${place}`, 'is written otherwise in each ecosystem; make a rule for each')
  if (effect === 'allow' && first.endsWith('*') && first.length <= fewestCharacters)
    throw wrong(
      at,
      `names/${place}`,
      `must have at least ${fewestCharacters} characters before the star to let in what it names`,
    )
  return first
}

function wrong(at: number, field: string, detail: string): Fault {
  const pointer = `/rules/${at}/${field}`
  return new Fault('unprocessable', `Rule ${at + 1}: ${field.split('/')[0]} ${detail}.`, {
    errors: [{ pointer, detail }],
  })
}
