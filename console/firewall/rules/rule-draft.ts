import type { NewRule, ShownRule } from '../../../src/capabilities/firewall/rules/api/rule-contract.ts'
import type { Rule } from '../../../src/capabilities/firewall/rules/rule.ts'

/** A rule on screen. One that is not saved yet has no number; the key tells it from the others all the same. */
export type DraftRule = Rule & { key: string }

let made = 0

export function draftOf({ sentence: _, ...rule }: Omit<ShownRule, 'id'> & { id?: number }): DraftRule {
  return { ...rule, id: rule.id ?? 0, key: rule.id ? `rule-${rule.id}` : `new-${++made}` }
}

export function newDraft(rule: NewRule): DraftRule {
  return draftOf({ ...rule, sentence: '' })
}

export function sentRules(rules: readonly DraftRule[]): NewRule[] {
  return rules.map(({ key: _, id, ...rule }) => ({ ...(id > 0 && { id }), ...rule }) as NewRule)
}

export function moved(rules: readonly DraftRule[], at: number, by: -1 | 1): DraftRule[] {
  const order = [...rules]
  const [rule] = order.splice(at, 1)
  order.splice(at + by, 0, rule!)
  return order
}
