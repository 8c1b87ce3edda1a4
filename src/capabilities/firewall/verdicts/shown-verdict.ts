import type { Verdict } from './verdict.ts'

/** As the wire has it. */
export function shownVerdict({ lacks: _, advisoryIds, ruleId = 0, warnings = [], watched, ...verdict }: Verdict) {
  return { ...verdict, advisoryIds: [...advisoryIds], ruleId, warnings: [...warnings], watched: watched ?? null }
}
