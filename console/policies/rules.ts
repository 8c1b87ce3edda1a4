import type { PolicyRule, RuleMode } from '../../src/capabilities/policies/contract.ts'

export const modes: readonly RuleMode[] = ['block', 'comment', 'monitor', 'disabled']

export const modeAbout: Record<RuleMode, string> = {
  block: 'Comments on the pull request and blocks it.',
  comment: 'Comments on the pull request and lets it pass.',
  monitor: 'Only recorded. Nobody is bothered.',
  disabled: 'Its findings are left out.',
}

/** In the order of effect: what is written out before beginnings, longer ones first. */
export function inOrderOfEffect(rules: readonly PolicyRule[]): PolicyRule[] {
  const isBeginning = (rule: string) => (rule.endsWith('*') ? 1 : 0)
  return [...rules].sort(
    (a, b) => isBeginning(a.rule) - isBeginning(b.rule) || b.rule.length - a.rule.length || (a.rule < b.rule ? -1 : 1),
  )
}

/** The pattern that decides about a rule; nothing where none matches, which means monitor. */
export function winnerFor(rules: readonly PolicyRule[], ruleId: string): PolicyRule | undefined {
  return inOrderOfEffect(rules).find(({ rule }) =>
    rule.endsWith('*') ? ruleId.startsWith(rule.slice(0, -1)) : rule === ruleId,
  )
}

export function ruleProblem(rules: readonly PolicyRule[], rule: string): string | undefined {
  if (rule === '') return 'Type the id of a rule, or the beginning of one and *.'
  if (!/^[^\s*]*\*?$/.test(rule)) return 'No spaces, and * only at the end.'
  if (rules.some((each) => each.rule === rule)) return 'It is in the list already.'
  return undefined
}

export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  const text = (rules: readonly PolicyRule[]) =>
    inOrderOfEffect(rules)
      .map(({ rule, mode }) => `${rule} ${mode}`)
      .join('\n')
  return text(a) === text(b)
}
