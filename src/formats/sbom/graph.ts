import type { InventoryItem } from '../format.ts'

/** Edges as three columns, because a large bill has millions. Kinds: 0 depends, 1 depends for development, 2 contains. */
export type Graph = {
  from: number[]
  to: number[]
  edges: number[]
  holders: Set<number>
  subjects: Set<number>
}

/** The edges of node n are those from start[n] up to start[n + 1]. */
export type PackedEdges = { start: Int32Array; to: Int32Array; edges: Uint8Array }

export function packEdges({ from, to, edges }: Graph, nodes: number): PackedEdges {
  const start = new Int32Array(nodes + 1)
  for (const at of from) start[at + 1]! += 1
  for (let at = 0; at < nodes; at += 1) start[at + 1]! += start[at]!
  const next = start.slice()
  const packed = { start, to: new Int32Array(from.length), edges: new Uint8Array(from.length) }
  for (let edge = 0; edge < from.length; edge += 1) {
    const place = next[from[edge]!]!++
    packed.to[place] = to[edge]!
    packed.edges[place] = edges[edge]!
  }
  return packed
}

/**
 * DIRECT is what the subject, or a holder it leads to, depends on; TRANSITIVE what is only reached through other
 * packages. Where the document does not say how the subject depends on a package, it stays UNKNOWN: that something is
 * contained tells nothing. Development is what is only reached through a development dependency.
 */
export function markTransitivity(graph: Graph, packed: PackedEdges, items: (InventoryItem | undefined)[]): void {
  const nodes = packed.start.length - 1
  const outer = outerNodes(graph, packed, nodes)
  const production = reach(packed, outer, false)
  const all = reach(packed, outer, true)
  for (let at = 0; at < nodes; at += 1) {
    const item = items[at]
    if (!item || all[at] === 0) continue
    item.transitivity = all[at] === 1 ? 'DIRECT' : 'TRANSITIVE'
    if (production[at] === 0) item.development = true
  }
}

/** The subjects, and the holders that only subjects and holders lead to. */
function outerNodes({ subjects, holders }: Graph, { start, to }: PackedEdges, nodes: number): Uint8Array {
  const outer = new Uint8Array(nodes)
  const queue = [...subjects]
  for (const at of queue) outer[at] = 1
  while (queue.length > 0) {
    const at = queue.pop()!
    for (let edge = start[at]!; edge < start[at + 1]!; edge += 1) {
      const next = to[edge]!
      if (outer[next] === 1 || !holders.has(next)) continue
      outer[next] = 1
      queue.push(next)
    }
  }
  return outer
}

/** 0 not reached, 1 reached from an outer node at once, 2 through others. */
function reach({ start, to, edges }: PackedEdges, outer: Uint8Array, development: boolean): Uint8Array {
  const reached = new Uint8Array(outer.length)
  const follow = (at: number, mark: 1 | 2, queue: number[]) => {
    for (let edge = start[at]!; edge < start[at + 1]!; edge += 1) {
      const kind = edges[edge]!
      const next = to[edge]!
      if (kind === 2 || (kind === 1 && !development) || reached[next] !== 0 || outer[next] === 1) continue
      reached[next] = mark
      queue.push(next)
    }
  }
  const queue: number[] = []
  for (let at = 0; at < outer.length; at += 1) if (outer[at] === 1) follow(at, 1, queue)
  while (queue.length > 0) follow(queue.pop()!, 2, queue)
  return reached
}
