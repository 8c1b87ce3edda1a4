import { triageStates } from '../../../domain/triage.ts'
import type { Occasion, Subject, TriggerRepository } from '../../../domain/trigger-event.ts'
import { trimEnd } from '../../../kernel/text/trim.ts'
import { compileWildcard, hasWildcard, type Matcher } from './wildcard.ts'

export type ConditionType = keyof typeof conditionTypes

type Rule = {
  description: string
  /** What of a subject the values are compared with. */
  of(subject: Subject, occasion: Occasion): readonly string[]
  /** What a value stands for; for itself where absent. */
  matcher?(value: string): Matcher
  /** The values there are; any where absent. */
  values?: readonly string[]
  pattern?: RegExp
}

/** What automations can ask about. */
const conditionTypes = {
  CONDITION_TYPE_REPOSITORY_ID: {
    description: 'Id of the repository',
    of: (subject, occasion) => repositoriesOf(subject, occasion).map(({ id }) => String(id)),
    pattern: /^[1-9][0-9]{0,15}$/,
  },
  CONDITION_TYPE_REPOSITORY_TAG: {
    description: 'Tag of the repository',
    of: (subject, occasion) => repositoriesOf(subject, occasion).flatMap(({ tags }) => tags),
  },
  CONDITION_TYPE_PATH: {
    description: 'Path of the file: a folder stands for all below it; with * (not /), ** and ? it is matched whole',
    of: ({ path }) => (path === '' ? [] : [path]),
    matcher: pathMatcher,
  },
  CONDITION_TYPE_REF: {
    description: 'Branch or tag that was scanned; * (not /), ** and ? are wildcards',
    of: (_, { ref }) => (ref === '' ? [] : [ref]),
    matcher: compileWildcard,
  },
  CONDITION_TYPE_SEVERITY: {
    description: 'Severity',
    of: ({ severity }) => [severity],
    values: ['SEVERITY_INFO', 'SEVERITY_LOW', 'SEVERITY_MEDIUM', 'SEVERITY_HIGH', 'SEVERITY_CRITICAL'],
  },
  CONDITION_TYPE_CONFIDENCE: {
    description: 'Confidence of the detector',
    of: ({ confidence }) => (confidence === '' ? [] : [confidence]),
    values: ['CONFIDENCE_UNSPECIFIED', 'CONFIDENCE_LOW', 'CONFIDENCE_MEDIUM', 'CONFIDENCE_HIGH'],
  },
  CONDITION_TYPE_PRODUCT: {
    description: 'Product that found it',
    of: ({ product }) => (product === '' ? [] : [product]),
    values: ['PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SCA', 'PRODUCT_TYPE_SECRETS', 'PRODUCT_TYPE_AI'],
  },
  CONDITION_TYPE_REACHABILITY: {
    description: 'Whether a vulnerable dependency is reached',
    of: ({ reachability }) => (reachability === '' ? [] : [reachability]),
    values: ['REACHABILITY_UNSPECIFIED', 'REACHABILITY_UNKNOWN', 'REACHABILITY_UNREACHABLE', 'REACHABILITY_REACHABLE'],
  },
  CONDITION_TYPE_RULE: {
    description: 'Id of the rule; * (not /), ** and ? are wildcards',
    of: ({ ruleId }) => (ruleId === '' ? [] : [ruleId]),
    matcher: compileWildcard,
  },
  CONDITION_TYPE_CATEGORY: {
    description: 'Category of the rule, for example security',
    of: ({ category }) => (category === '' ? [] : [category]),
  },
  CONDITION_TYPE_CWE: {
    description: 'Weakness, for example CWE-79',
    of: ({ cwes }) => cwes,
    matcher: (value) => (has) => cweNumber(value) === cweNumber(has),
    pattern: /^CWE-[0-9]{1,6}$/i,
  },
  CONDITION_TYPE_MALICIOUS_DEPENDENCY: {
    description: 'Whether it is a malicious dependency',
    of: ({ malicious }) => [String(malicious)],
    values: ['true', 'false'],
  },
  CONDITION_TYPE_TRIAGE_STATE: {
    description: 'What was decided about it',
    of: ({ triageState }) => [triageState],
    values: triageStates,
  },
} as const satisfies Record<string, Rule>

export const conditionTypeNames = Object.keys(conditionTypes) as ConditionType[]

export function ruleFor(type: ConditionType): Rule {
  return conditionTypes[type]
}

function repositoriesOf({ repositories }: Subject, { repository }: Occasion): TriggerRepository[] {
  return repositories ?? (repository ? [repository] : [])
}

function pathMatcher(value: string): Matcher {
  if (hasWildcard(value)) return compileWildcard(value)
  const folder = trimEnd(value, '/')
  return (path) => path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/')
}

/** Scanners write CWE-79, cwe-79 and CWE-079 for the same. */
function cweNumber(text: string): number {
  return Number(/^cwe-0*([0-9]+)/i.exec(text)?.[1] ?? Number.NaN)
}
