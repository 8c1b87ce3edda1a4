import type { TriageReason, TriageState } from '../../domain/triage.ts'
import type { Severity } from './issue.ts'

/** The numbers that stand for names in the tables. They are stored: never give one another meaning. */
const stateCodes: Record<TriageState, number> = {
  TRIAGE_STATE_OPEN: 1,
  TRIAGE_STATE_REOPENED: 2,
  TRIAGE_STATE_REVIEWING: 3,
  TRIAGE_STATE_FIXING: 4,
  TRIAGE_STATE_PROVISIONALLY_IGNORED: 5,
  TRIAGE_STATE_IGNORED: 6,
  TRIAGE_STATE_FIXED: 7,
}
const reasonCodes: Record<TriageReason, number> = {
  TRIAGE_REASON_UNSPECIFIED: 0,
  TRIAGE_REASON_FALSE_POSITIVE: 1,
  TRIAGE_REASON_ACCEPTABLE_RISK: 2,
  TRIAGE_REASON_NO_TIME: 3,
}
/** In the order of their weight, so that sorting by the number sorts by severity. */
const severityCodes: Record<Severity, number> = {
  SEVERITY_INFO: 1,
  SEVERITY_LOW: 2,
  SEVERITY_MEDIUM: 3,
  SEVERITY_HIGH: 4,
  SEVERITY_CRITICAL: 5,
}

export const state = codesOf(stateCodes)
export const reason = codesOf(reasonCodes)
export const severity = codesOf(severityCodes)

function codesOf<Name extends string>(codes: Record<Name, number>) {
  const names = new Map(Object.entries<number>(codes).map(([name, code]) => [code, name as Name]))
  return {
    code: (name: Name): number => codes[name],
    name(code: number): Name {
      const name = names.get(code)
      if (name === undefined) throw new Error(`no name for ${code}`)
      return name
    },
  }
}
