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
  const longestBeginning = createBeginnings([...beginnings.keys()])
  return (ruleId) => {
    const exact = ids.get(ruleId)
    if (exact) return exact
    const beginning = longestBeginning(ruleId)
    return beginning === undefined ? otherwise : beginnings.get(beginning)!
  }
}

/**
 * The longest of these that a text begins with. Whatever it begins with is also a beginning of the one that sorts just before
 * it, or that one itself. So one search by halves leads there, and from there it goes from each to the longest that is in it,
 * comparing lengths: however long and many they are, a text is compared with a dozen of them.
 */
function createBeginnings(given: string[]): (text: string) => string | undefined {
  const sorted = given.sort()
  const within: number[] = []
  for (const [at, one] of sorted.entries()) {
    let outer = at - 1
    while (outer >= 0 && !one.startsWith(sorted[outer]!)) outer = within[outer]!
    within.push(outer)
  }
  return (text) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]! <= text) low = middle + 1
      else high = middle
    }
    let at = low - 1
    const shared = at >= 0 ? sharedLength(sorted[at]!, text) : 0
    while (at >= 0 && sorted[at]!.length > shared) at = within[at]!
    return sorted[at]
  }
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

/** The pattern that decides about a rule; undefined where the policy says nothing about it. */
export function ruleThatDecides(rules: readonly PolicyRule[], ruleId: string): string | undefined {
  const matching = rules.filter(({ rule }) =>
    rule.endsWith('*') ? ruleId.startsWith(rule.slice(0, -1)) : rule === ruleId,
  )
  const exact = matching.find(({ rule }) => rule === ruleId)
  return (exact ?? matching.toSorted((a, b) => b.rule.length - a.rule.length)[0])?.rule
}
