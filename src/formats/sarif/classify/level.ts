import type { Level } from '../finding.ts'
import { indexOf, type Loose, record } from '../log/loose.ts'
import type { FoundRule } from '../log/rule-lookup.ts'
import type { LevelOverride, Run } from '../log/run.ts'
import { findComponent } from '../log/run.ts'

const levels: ReadonlySet<unknown> = new Set<Level>(['error', 'warning', 'note', 'none'])

/**
 * The level in effect: what the result says, else what the invocation was configured to, else the rule's default, else
 * 'warning' (SARIF §3.27.10). A run of one invocation needs no word on which one a result came from.
 */
export function levelOf(result: Loose, found: FoundRule, run: Run): Level {
  if (levels.has(result.level)) return result.level as Level
  const invocation = indexOf(record(result.provenance).invocationIndex)
  const overrides = run.overrides[invocation >= 0 ? invocation : run.overrides.length === 1 ? 0 : -1] ?? []
  const override = overrides.findLast((candidate) => levels.has(candidate.level) && isAbout(candidate, found, run))
  if (override) return override.level as Level
  return levels.has(found.rule?.level) ? (found.rule?.level as Level) : 'warning'
}

function isAbout({ reference }: LevelOverride, { id, rule, component }: FoundRule, run: Run): boolean {
  if (findComponent(run, reference.component) !== component) return false
  if (reference.guid !== '') return reference.guid === rule?.guid
  if (reference.index >= 0) return component.rules[reference.index] === rule
  return reference.id !== '' && (reference.id === id || reference.id === rule?.id || id.startsWith(`${reference.id}/`))
}
