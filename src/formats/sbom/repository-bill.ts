import { createHash } from 'node:crypto'
import type { InventoryItem } from '../format.ts'
import type { DependencyKind } from './bill.ts'
import { markTransitivity, packEdges } from './graph.ts'

/** What a bill of materials is written from. */
export type RepositoryBill = {
  repository: string
  created: Date
  items: readonly InventoryItem[]
}

export const toolName = 'gatehouse'

/** The same for the same content, so that writing is a pure function (RFC 9562 §5.8). */
export function billUuid({ repository, created, items }: RepositoryBill): string {
  const hash = createHash('sha256').update(JSON.stringify([repository, created.toISOString()]))
  for (const item of items) hash.update(JSON.stringify([item.ecosystem, item.name, item.version, item.key]))
  const bytes = hash.digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * The items whose standing a reader of the graph would see differently, for example the transitive dependencies of a
 * lockfile that does not say what brings them in: the document must say it outright.
 */
export function unshownStandings(
  items: readonly InventoryItem[],
  showsDevelopment: boolean,
): Map<string, DependencyKind> {
  const nodes = new Map(items.map((item, i) => [item.key, i + 1]))
  const graph = {
    from: [] as number[],
    to: [] as number[],
    edges: [] as number[],
    holders: new Set<number>(),
    subjects: new Set([0]),
  }
  const link = (from: number, to: number, edge: number) => {
    graph.from.push(from)
    graph.to.push(to)
    graph.edges.push(edge)
  }
  for (const [i, item] of items.entries()) {
    if (item.transitivity === 'DIRECT') link(0, i + 1, item.development ? 1 : 0)
    for (const key of item.dependsOn) {
      const to = nodes.get(key)
      if (to !== undefined) link(i + 1, to, 0)
    }
  }
  const seen = items.map((item): InventoryItem => ({ ...item, transitivity: 'UNKNOWN', development: false }))
  markTransitivity(graph, packEdges(graph, items.length + 1), [undefined, ...seen])
  const unshown = new Map<string, DependencyKind>()
  for (const [i, { key, transitivity, development }] of items.entries()) {
    const differs =
      seen[i]!.transitivity !== transitivity || (!showsDevelopment && seen[i]!.development !== development)
    if (differs) unshown.set(key, { transitivity, development })
  }
  return unshown
}

/** The members of a JSON array, one string each. */
export function* jsonMembers(values: Iterable<unknown>): Generator<string> {
  let first = true
  for (const value of values) {
    yield `${first ? '\n' : ',\n'}${JSON.stringify(value)}`
    first = false
  }
}
