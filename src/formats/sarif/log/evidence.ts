import type { ToolFamily } from '../classify/tool.ts'
import type { Level } from '../finding.ts'
import type { Loose } from './loose.ts'
import type { Rule } from './rule.ts'

/** What a log says about one result, gathered in one place for the tables that tell what it means. */
export type Evidence = {
  family: ToolFamily
  ruleId: string
  rule: Rule | undefined
  level: Level
  message: string
  /** Of the rule and the result. */
  tags: readonly string[]
  /** Scalars and short lists of the result's and the rule's property bags; own properties only. */
  result: Loose
  run: Loose
  logicalNames: readonly string[]
  paths: readonly string[]
}

/** The first of `names` that the result, else the rule, has. Lists give their first entry. */
export function property(evidence: Evidence, ...names: string[]): string {
  for (const bag of [evidence.result, evidence.rule?.properties ?? {}]) {
    for (const name of names) {
      const value = bag[name]
      const first = Array.isArray(value) ? value[0] : value
      if (typeof first === 'string' && first !== '') return first
    }
  }
  return ''
}
