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

/** As the server decides: what no pattern matches is monitored. */
function modesOf(rules: readonly PolicyRule[]): (ruleId: string) => RuleMode {
  return (ruleId) => winnerFor(rules, ruleId)?.mode ?? 'monitor'
}

export type Seen = { ruleId: string; pullRequest: number; repository: string }
export type Effect = { rule: string; from: RuleMode; to: RuleMode; findings: number; pullRequests: number }

/** What other rules would have made of findings that pull requests brought: by rule, the most first. */
export function effectOf(before: readonly PolicyRule[], after: readonly PolicyRule[], seen: readonly Seen[]): Effect[] {
  const was = modesOf(before)
  const is = modesOf(after)
  const groups = Map.groupBy(seen, (each) => each.ruleId)
  return [...groups]
    .map(([rule, findings]) => ({
      rule,
      from: was(rule),
      to: is(rule),
      findings: findings.length,
      pullRequests: pullRequestsOf(findings),
    }))
    .filter((each) => each.from !== each.to)
    .sort((a, b) => b.findings - a.findings || (a.rule < b.rule ? -1 : 1))
}

function pullRequestsOf(findings: readonly Seen[]): number {
  return new Set(findings.map((each) => `${each.repository} ${each.pullRequest}`)).size
}

export type Blocked = { before: number; after: number }

/** How many pull requests would have been blocked, before and after. */
export function blockedBy(before: readonly PolicyRule[], after: readonly PolicyRule[], seen: readonly Seen[]): Blocked {
  const count = (rules: readonly PolicyRule[]) => {
    const mode = modesOf(rules)
    return pullRequestsOf(seen.filter((each) => mode(each.ruleId) === 'block'))
  }
  return { before: count(before), after: count(after) }
}

export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  const text = (rules: readonly PolicyRule[]) =>
    inOrderOfEffect(rules)
      .map(({ rule, mode }) => `${rule} ${mode}`)
      .join('\n')
  return text(a) === text(b)
}
