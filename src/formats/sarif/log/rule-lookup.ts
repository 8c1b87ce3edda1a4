import { indexOf, type Loose, text } from './loose.ts'
import { type Rule, readReference } from './rule.ts'
import { type Component, findComponent, type Run } from './run.ts'

export type FoundRule = { id: string; rule: Rule | undefined; component: Component }

/**
 * The rule of a result (SARIF §3.27.5 to §3.27.7). The id that is written wins over an index that points elsewhere;
 * `CA1000/1` is found under `CA1000`; tools that keep their rules in extensions often forget to say in which.
 */
export function findRule(run: Run, result: Loose): FoundRule {
  const reference = readReference(result.rule)
  const component = findComponent(run, reference.component) ?? run.driver
  const id = text(result.ruleId, 500) || reference.id
  const byIndex = component.rules[reference.index >= 0 ? reference.index : indexOf(result.ruleIndex)]
  if (byIndex && (id === '' || id === byIndex.id || id.startsWith(`${byIndex.id}/`))) {
    return { id: id || byIndex.id, rule: byIndex, component }
  }
  const byGuid = reference.guid === '' ? undefined : component.rulesByGuid.get(reference.guid)
  if (byGuid) return { id: id || byGuid.id, rule: byGuid, component }
  for (const where of [component, run.driver, ...run.extensions]) {
    const rule = byHierarchy(where, id)
    if (rule) return { id, rule, component: where }
  }
  return { id, rule: undefined, component }
}

function byHierarchy(component: Component, id: string): Rule | undefined {
  for (let name = id; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
    const rule = component.rulesById.get(name)
    if (rule) return rule
  }
  return undefined
}
