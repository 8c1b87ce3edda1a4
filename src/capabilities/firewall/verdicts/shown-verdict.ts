import type { Verdict } from './verdict.ts'

/** As the wire has it. */
export function shownVerdict(known: Verdict) {
  const { lacks: _, isMissing: __, advisoryIds, ruleId = 0, warnings = [], watched, ...verdict } = known
  return { ...verdict, advisoryIds: [...advisoryIds], ruleId, warnings: [...warnings], watched: watched ?? null }
}
