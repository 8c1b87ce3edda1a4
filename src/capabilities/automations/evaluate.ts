import type { Occasion, Subject } from '../../kernel/trigger.ts'
import { type ConditionType, ruleFor } from './condition-types.ts'

export const modes = ['MODE_ALL', 'MODE_ANY', 'MODE_NONE'] as const
export type Mode = (typeof modes)[number]

export type Condition = { mode: Mode; type: ConditionType; values: string[] }
export type Filters = { mode: Mode; conditions: Condition[] }

/** Whether an automation with these filters is about a subject. */
export function holds(filters: Filters, subject: Subject, occasion: Occasion): boolean {
  return inMode(filters.mode, filters.conditions, (condition) => conditionHolds(condition, subject, occasion))
}

/** ALL: each of the values is what the subject has; ANY: at least one is; NONE: not one is. */
function conditionHolds({ mode, type, values }: Condition, subject: Subject, occasion: Occasion): boolean {
  const { of, matches = equal } = ruleFor(type)
  const has = of(subject, occasion)
  return inMode(mode, values, (value) => has.some((one) => matches(value, one)))
}

function inMode<T>(mode: Mode, parts: readonly T[], isTrue: (part: T) => boolean): boolean {
  if (mode === 'MODE_ALL') return parts.every(isTrue)
  return parts.some(isTrue) === (mode === 'MODE_ANY')
}

function equal(value: string, has: string): boolean {
  return value === has
}

const standing = ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REOPENED', 'TRIAGE_STATE_REVIEWING', 'TRIAGE_STATE_FIXING']

/** Neither fixed nor ignored. */
export function standsOpen({ triageState }: Subject): boolean {
  return standing.includes(triageState)
}
