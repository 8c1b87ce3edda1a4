import { parsePurl } from '../../ecosystems/purl.ts'
import { ecosystems, fromPurl } from '../../ecosystems/registry.ts'
import type { InventoryItem, Reading } from '../format.ts'
import { fatalProblem, quote } from '../problem.ts'
import { type Graph, markTransitivity, packEdges } from './graph.ts'
import { createTally, type Tally } from './tally.ts'

/** One component or package of a bill of materials, as its document states it. */
export type Component = {
  /** What the rest of the document calls it; '' where it has no such name. */
  ref: string
  purl: string
  /** As written beside the purl; counts where the purl has none. */
  version: string
  licence: string
  resolved: string
  development: boolean
  /** Not a package but what holds packages (a lockfile, an image): what it depends on counts as depended on from outside. */
  holder: boolean
  /** What our own writers say outright because the graph does not show it. */
  stated?: Standing | undefined
  line: number
  pointer: string
}

export type Standing = Pick<InventoryItem, 'transitivity' | 'development'>

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
  readonly tally: Tally
  finish(): Reading
}

const maximumComponents = 500_000
const maximumEdges = 2_000_000
/** Names that components or dependencies go by, of files too. */
const maximumNames = 1_000_000

/** Collects components and the graph between them in any order, and makes the inventory of it. */
export function createBill(): Bill {
  const tally = createTally()
  const nodes = new Map<string, number>()
  const names: string[] = []
  const items: (InventoryItem | undefined)[] = []
  const graph: Graph = { from: [], to: [], edges: [], holders: new Set(), subjects: new Set() }
  const described = new Set<number>()
  const stated = new Map<InventoryItem, Standing>()
  const added = new Set<number>()
  const leftOut: LeftOut[] = []
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
      tally.note('duplicate-ref', '', (n) => `${n} components share their reference with another one.`, line, pointer)
      if (sameItem(items[at], component)) return
      at = node(`${ref}#${names.length}`)
    }
    added.add(at)
    const item = itemOf(component, names[at]!)
    if (item) {
      items[at] = item
      if (component.stated) stated.set(item, component.stated)
    } else leftOut.push({ at, type: parsePurl(purl)?.type ?? '', purl: purl.slice(0, 100), line, pointer })
    if (!item && component.holder && purl === '') graph.holders.add(at)
  }

  function sameItem(item: InventoryItem | undefined, { purl, version }: Component): boolean {
    const found = fromPurl(purl)
    if (!item || !found || found.ecosystem.id !== item.ecosystem || found.name !== item.name) return false
    return (found.version ?? version) === item.version
  }

  function itemOf({ purl, version, licence, resolved, development, line }: Component, key: string) {
    const found = fromPurl(purl)
    if (!found) return undefined
    const rest = { transitivity: 'UNKNOWN' as const, development, licence, resolved, dependsOn: [], line }
    return { key, ecosystem: found.ecosystem.id, name: found.name, version: found.version ?? version, ...rest }
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
    for (const at of graph.subjects) items[at] = undefined
    for (const one of leftOut) if (!graph.subjects.has(one.at)) noteLeftOut(tally, one)
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
    return { items: items.filter((item) => item !== undefined), problems: tally.problems() }
  }

  return { add, link, subject, describes, isFull: () => tooLarge, tally, finish }
}

type LeftOut = { at: number; type: string; purl: string; line: number; pointer: string }

const ourTypes = new Set(Object.values(ecosystems).map((ecosystem) => ecosystem.purlType))

/** Nothing is dropped without a word. */
function noteLeftOut(tally: Tally, { type, purl, line, pointer }: LeftOut): void {
  if (purl === '') {
    tally.note('no-purl', '', (n) => `${n} components without a package URL were left out.`, line, pointer)
  } else if (type === '' || ourTypes.has(type)) {
    const describe = (n: number) => `${n} components with an unreadable package URL were left out: ${quote(purl)}.`
    tally.note('invalid-purl', '', describe, line, pointer)
  } else {
    const describe = (n: number) => `${n} components of type ${quote(type)} were left out: no supported ecosystem.`
    tally.note('unsupported-ecosystem', type.slice(0, 40), describe, line, pointer)
  }
}
