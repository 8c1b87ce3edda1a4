import type { Occasion, Subject } from '../../../domain/trigger-event.ts'
import { type ConditionType, ruleFor } from './condition-types.ts'
import type { Matcher } from './wildcard.ts'

export const modes = ['MODE_ALL', 'MODE_ANY', 'MODE_NONE'] as const
export type Mode = (typeof modes)[number]

export type Condition = { mode: Mode; type: ConditionType; values: string[] }
export type Filters = { mode: Mode; conditions: Condition[] }

type Holds = (subject: Subject, occasion: Occasion) => boolean

/** Whether an automation with these filters is about a subject. Compiled once for all subjects of an event. */
export function compileFilters({ mode, conditions }: Filters): Holds {
  const compiled = conditions.map(compileCondition)
  return (subject, occasion) => inMode(mode, compiled, (condition) => condition(subject, occasion))
}

const remembered = 10_000

/** ALL: each of the values is what the subject has; ANY: at least one is; NONE: not one is. */
function compileCondition({ mode, type, values }: Condition): Holds {
  const { of, matcher = equal } = ruleFor(type)
  const matchers = [...new Set(values)].map(matcher)
  const isTrue = (has: readonly string[]) => inMode(mode, matchers, (matches) => has.some(matches))
  // Many subjects have the same path, rule or ref.
  const known = new Map<string, boolean>()
  return (subject, occasion) => {
    const has = of(subject, occasion)
    const [only] = has
    if (only === undefined || has.length > 1) return isTrue(has)
    const earlier = known.get(only)
    if (earlier !== undefined) return earlier
    const result = isTrue(has)
    if (known.size >= remembered) known.clear()
    known.set(only, result)
    return result
  }
}

function inMode<T>(mode: Mode, parts: readonly T[], isTrue: (part: T) => boolean): boolean {
  if (mode === 'MODE_ALL') return parts.every(isTrue)
  return parts.some(isTrue) === (mode === 'MODE_ANY')
}

function equal(value: string): Matcher {
  return (has) => value === has
}

const standing = ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REOPENED', 'TRIAGE_STATE_REVIEWING', 'TRIAGE_STATE_FIXING']

/** Neither fixed nor ignored. */
export function standsOpen({ triageState }: Subject): boolean {
  return standing.includes(triageState)
}
