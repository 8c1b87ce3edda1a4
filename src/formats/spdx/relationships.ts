import type { Bill, Edge } from '../sbom/bill.ts'

type Meaning = { edge: Edge; backwards: boolean }

const onward = (edge: Edge): Meaning => ({ edge, backwards: false })
const backward = (edge: Edge): Meaning => ({ edge, backwards: true })

/** SPDX 2.3, clause 11, and the relationship types of SPDX 3.0, in one spelling. Others say nothing about dependencies. */
const meanings: ReadonlyMap<string, Meaning> = new Map([
  ['dependson', onward('depends')],
  ['hasprerequisite', onward('depends')],
  ['hasoptionaldependency', onward('depends')],
  ['hasprovideddependency', onward('depends')],
  ['staticlink', onward('depends')],
  ['dynamiclink', onward('depends')],
  ['hasstaticlink', onward('depends')],
  ['hasdynamiclink', onward('depends')],
  ['dependencyof', backward('depends')],
  ['runtimedependencyof', backward('depends')],
  ['builddependencyof', backward('depends')],
  ['provideddependencyof', backward('depends')],
  ['optionaldependencyof', backward('depends')],
  ['prerequisitefor', backward('depends')],
  ['devdependencyof', backward('develops')],
  ['testdependencyof', backward('develops')],
  ['devtoolof', backward('develops')],
  ['testtoolof', backward('develops')],
  ['contains', onward('contains')],
  ['containedby', backward('contains')],
  ['packageof', backward('contains')],
  ['optionalcomponentof', backward('contains')],
])

/** DEPENDS_ON and dependsOn alike. */
export function plainType(type: string): string {
  return type.replaceAll('_', '').toLowerCase()
}

export function addRelationship(bill: Bill, from: string, type: string, to: string, development = false): void {
  const plain = plainType(type)
  // DESCRIBE is what some tools write for DESCRIBES.
  if (plain === 'describes' || plain === 'describe') bill.describes(to)
  else if (plain === 'describedby') bill.describes(from)
  const meaning = meanings.get(plain)
  if (!meaning) return
  const edge = development && meaning.edge === 'depends' ? 'develops' : meaning.edge
  if (meaning.backwards) bill.link(to, from, edge)
  else bill.link(from, to, edge)
}
