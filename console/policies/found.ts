import type { PolicyRule } from '../../src/capabilities/policies/contract.ts'
import { winnerFor } from './rules.ts'

/** What a pattern decides about: how many findings, and of which rules. */
export type Found = { findings: number; rules: string[] }

/** By the pattern that decides; what none matches is left out. */
export function foundByPattern(
  rules: readonly PolicyRule[],
  counted: readonly { value: string; count: number }[],
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>()
  for (const { value, count } of counted) {
    const winner = winnerFor(rules, value)
    if (!winner) continue
    const sum = found.get(winner.rule) ?? { findings: 0, rules: [] }
    found.set(winner.rule, { findings: sum.findings + count, rules: [...sum.rules, value] })
  }
  return found
}
