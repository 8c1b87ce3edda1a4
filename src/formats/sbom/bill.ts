import type { InventoryItem, Reading } from '../format.ts'
import { fatalProblem, quote } from '../problem.ts'
import { type Graph, markTransitivity, packEdges } from './graph.ts'
import { identify, type Named } from './identity.ts'
import { createProblemCounts, type ProblemCounts } from './problem-counts.ts'

/**
 * What a component is where it has no purl. A holder (a lockfile, an image) is what packages stand in: with a version it is
 * a package itself, as it is where it holds nothing. The rest (a file, an operating system) is none, whatever it has.
 */
export type ComponentKind = 'package' | 'holder' | 'rest'

/** One component or package of a bill of materials, as its document states it. */
export type Component = Named & {
  /** What the rest of the document calls it; '' where it has no such name. */
  ref: string
  licence: string
  resolved: string
  development: boolean
  kind: ComponentKind
  /** The document's own word for it, for people. */
  type: string
  /** What our own writers say outright because the graph does not show it. */
  stated?: DependencyKind | undefined
  line: number
  pointer: string
}

export type DependencyKind = Pick<InventoryItem, 'transitivity' | 'development'>

export type Edge = 'depends' | 'develops' | 'contains'

export type Bill = {
  add(component: Component): void
  link(from: string, to: string, edge: Edge): void
  /** What the bill is about: not itself one of its dependencies. */
  subject(ref: string): void
  /** What the bill says it describes: its subject, unless all it does is to list packages one by one. */
  describes(ref: string): void
  /** Over a limit: reading on is of no use, `finish` says why. */
  isFull(): boolean
  readonly problemCounts: ProblemCounts
  finish(): Reading
}

/** Layers of images go by their digests. */
const layer = /^(?:sha256:)?[0-9a-f]{64}$/
const maximumComponents = 500_000
const maximumEdges = 2_000_000
/** Names that components or dependencies go by, of files too. */
const maximumNames = 1_000_000

/** Collects components and the graph between them in any order, and makes the inventory of it. */
export function createBill(): Bill {
  const problemCounts = createProblemCounts()
  const nodes = new Map<string, number>()
  const names: string[] = []
  const items: (InventoryItem | undefined)[] = []
  const graph: Graph = { from: [], to: [], edges: [], holders: new Set(), subjects: new Set() }
  const described = new Set<number>()
  const stated = new Map<InventoryItem, DependencyKind>()
  const added = new Set<number>()
  const leftOut: LeftOut[] = []
  const holders = new Map<number, Component>()
  let count = 0
  let tooLarge = false

  function node(ref: string): number {
    const known = nodes.get(ref)
    if (known !== undefined) return known
    if (names.length >= maximumNames) tooLarge = true
    const made = names.push(ref) - 1
    nodes.set(ref, made)
    return made
  }

  function unnamed(purl: string): number {
    return node(nodes.has(purl) || purl === '' ? `#${names.length}` : purl)
  }

  function add(component: Component): void {
    const { ref, purl, line, pointer } = component
    count += 1
    if (count > maximumComponents) tooLarge = true
    if (tooLarge) return
    let at = ref === '' ? unnamed(purl) : node(ref)
    if (added.has(at)) {
      problemCounts.note(
        'duplicate-ref',
        '',
        (n) => `${n} components share their reference with another one.`,
        line,
        pointer,
      )
      if (sameItem(items[at], component)) return
      at = node(`${ref}#${names.length}`)
    }
    added.add(at)
    const holds = component.kind !== 'package' && purl === ''
    if (holds && (component.kind === 'rest' || component.version === '')) {
      graph.holders.add(at)
      holders.set(at, component)
    } else place(at, component)
  }

  function place(at: number, component: Component): void {
    const item = itemOf(component, names[at]!)
    if (typeof item === 'string') leftOut.push({ at, why: item, component })
    else {
      items[at] = item
      if (component.stated) stated.set(item, component.stated)
    }
  }

  function sameItem(item: InventoryItem | undefined, component: Component): boolean {
    const found = identify(component)
    if (!item || !found || found === 'invalid') return false
    return found.ecosystem === item.ecosystem && found.name === item.name && found.version === item.version
  }

  function itemOf(component: Component, key: string): InventoryItem | LeftOut['why'] {
    const found = identify(component)
    if (found === undefined) return 'nameless'
    if (found === 'invalid') return found
    // A file that somebody gave a purl of no ecosystem is still a file.
    if (component.kind === 'rest' && found.ecosystem === 'generic') return 'no-package'
    const { licence, development, line } = component
    const { identifier, ...own } = found
    const resolved = component.resolved || identifier
    return { key, ...own, transitivity: 'UNKNOWN', development, licence, resolved, dependsOn: [], line }
  }

  /** What holds nothing and is not a file or operating system is a package whose version the document does not give. */
  function settleHolders(): void {
    const holding = new Set(graph.from)
    for (const [at, component] of holders) {
      const isLayer = layer.test(component.name)
      if (component.kind === 'rest' || isLayer || holding.has(at)) leftOut.push({ at, why: 'no-package', component })
      else {
        graph.holders.delete(at)
        place(at, component)
      }
    }
  }

  function link(from: string, to: string, edge: Edge): void {
    if (from === '' || to === '' || from === to) return
    if (graph.from.length >= maximumEdges) tooLarge = true
    if (tooLarge) return
    graph.from.push(node(from))
    graph.to.push(node(to))
    graph.edges.push(edge === 'depends' ? 0 : edge === 'develops' ? 1 : 2)
  }

  function subject(ref: string): void {
    if (ref !== '') graph.subjects.add(node(ref))
  }

  function describes(ref: string): void {
    if (ref !== '') described.add(node(ref))
  }

  function findSubjects(): void {
    if (described.size === 1 && (count > 1 || items.length === 0)) for (const at of described) graph.subjects.add(at)
    if (described.size < 2) return
    for (let edge = 0; edge < graph.from.length; edge += 1) {
      const from = graph.from[edge]!
      if (described.has(from) && added.has(graph.to[edge]!)) graph.subjects.add(from)
    }
  }

  function finish(): Reading {
    if (tooLarge) {
      const limits = `${maximumComponents} components, ${maximumEdges} dependencies or ${maximumNames} names`
      return { items: [], problems: [fatalProblem('too-large', `There are more than ${limits}.`)] }
    }
    findSubjects()
    settleHolders()
    for (const at of graph.subjects) items[at] = undefined
    for (const one of leftOut) if (!graph.subjects.has(one.at)) noteLeftOut(problemCounts, one)
    const packed = packEdges(graph, names.length)
    markTransitivity(graph, packed, items)
    for (const [item, standing] of stated) Object.assign(item, standing)
    for (let at = 0; at < names.length; at += 1) {
      const item = items[at]
      if (!item) continue
      const on = new Set<string>()
      for (let edge = packed.start[at]!; edge < packed.start[at + 1]!; edge += 1) {
        const to = packed.to[edge]!
        if (packed.edges[edge] !== 2 && items[to]) on.add(names[to]!)
      }
      item.dependsOn = [...on]
    }
    return { items: items.filter((item) => item !== undefined), problems: problemCounts.problems() }
  }

  return { add, link, subject, describes, isFull: () => tooLarge, problemCounts, finish }
}

type LeftOut = { at: number; why: 'invalid' | 'nameless' | 'no-package'; component: Component }

/** Nothing is dropped without a word. */
function noteLeftOut(problemCounts: ProblemCounts, { why, component: { purl, type, line, pointer } }: LeftOut): void {
  const note = (code: string, kind: string, what: string) =>
    problemCounts.note(code, kind, (n) => `${n} components ${what}.`, line, pointer)
  const kind = type.slice(0, 40)
  if (why === 'invalid' && purl !== '') {
    note('invalid-purl', '', `with an unreadable package URL were left out: ${quote(purl.slice(0, 100))}`)
  } else if (why === 'no-package') note('no-purl', kind, `of type ${quote(kind)} are not packages and were left out`)
  else note('no-purl', '', 'have neither a package URL nor a name that can be one and were left out')
}
