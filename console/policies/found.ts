import type { PolicyRule } from '../../src/capabilities/policies/contract.ts'
import { winnerFor } from './rules.ts'

/** What a pattern decides about: how many findings, or at least this many, and of which rules. */
export type Found = { findings: number; rules: string[]; atLeast: boolean }

/** By the pattern that decides; what none matches is left out. `areAll`: every rule with findings was counted. */
export function foundByPattern(
  rules: readonly PolicyRule[],
  counted: readonly { value: string; count: number }[],
  areAll: boolean,
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>()
  for (const { value, count } of counted) {
    const winner = winnerFor(rules, value)
    if (!winner) continue
    const sum = found.get(winner.rule) ?? { findings: 0, rules: [] }
    const atLeast = !areAll && winner.rule.endsWith('*')
    found.set(winner.rule, { atLeast, findings: sum.findings + count, rules: [...sum.rules, value] })
  }
  return found
}
