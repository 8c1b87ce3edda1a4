import type { PolicyRule, RuleMode } from './contract.ts'

/** What happens to findings of rules that the policy says nothing about: they are recorded and bother nobody. */
const otherwise: RuleMode = 'monitor'

/**
 * Prepares the rules of a policy for many questions: the mode of a rule by its id. The longest match decides, and an
 * id in full outranks a beginning of the same length.
 */
export function modeForRule(rules: readonly PolicyRule[]): (ruleId: string) => RuleMode {
  const ids = new Map<string, RuleMode>()
  const beginnings = new Map<string, RuleMode>()
  for (const { rule, mode } of rules) {
    if (rule.endsWith('*')) beginnings.set(rule.slice(0, -1), mode)
    else ids.set(rule, mode)
  }
  const lengths = [...new Set([...beginnings.keys()].map((beginning) => beginning.length))].sort((a, b) => b - a)
  return (ruleId) => {
    const exact = ids.get(ruleId)
    if (exact) return exact
    for (const length of lengths) {
      const mode = length <= ruleId.length ? beginnings.get(ruleId.slice(0, length)) : undefined
      if (mode) return mode
    }
    return otherwise
  }
}

/** The pattern that decides about a rule; undefined where the policy says nothing about it. */
export function ruleThatDecides(rules: readonly PolicyRule[], ruleId: string): string | undefined {
  const matching = rules.filter(({ rule }) =>
    rule.endsWith('*') ? ruleId.startsWith(rule.slice(0, -1)) : rule === ruleId,
  )
  const exact = matching.find(({ rule }) => rule === ruleId)
  return (exact ?? matching.toSorted((a, b) => b.rule.length - a.rule.length)[0])?.rule
}
