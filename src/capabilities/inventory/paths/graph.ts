import type { createYield } from '../../../kernel/threads/event-loop-yield.ts'

/** Lets others have their turn while a large graph is walked through. */
export type Breath = ReturnType<typeof createYield>

/** How many entries or edges are looked at between two looks at the clock. */
export const stride = 4_096
const unreached = -1

/** Towards those that an entry depends on, or towards those that depend on it. */
type Direction = 'dependencies' | 'dependents'

/** The neighbours of entry `n` are `neighbours` from `starts[n]` to `starts[n + 1]`. */
type Edges = { starts: Uint32Array; neighbours: Uint32Array }

/** Of each entry that was reached: how far it is, and the step before it on a shortest way there. */
export type Walk = { distance: Int32Array; previous: Int32Array; reached: Uint32Array }

/**
 * Breadth first through a graph as it is stored (pairs of ordinals, four bytes each, little endian: who depends on whom), from
 * all of these entries at once, so that the first to arrive has a shortest way. Every entry and edge once.
 */
export async function walk(graph: Buffer, direction: Direction, from: Iterable<number>, breath: Breath): Promise<Walk> {
  const sources = [...new Set(from)]
  const { starts, neighbours } = await readEdges(graph, direction, breath)
  let entries = starts.length
  for (const source of sources) entries = Math.max(entries, source + 1)
  const previous = new Int32Array(entries).fill(unreached)
  const distance = new Int32Array(entries).fill(unreached)
  const queue = new Uint32Array(entries)
  let end = 0
  for (const source of sources) {
    distance[source] = 0
    queue[end++] = source
  }
  for (let at = 0; at < end; at++) {
    if (at % stride === 0) await breath()
    const entry = queue[at]!
    for (let edge = starts[entry] ?? 0; edge < (starts[entry + 1] ?? 0); edge++) {
      const neighbour = neighbours[edge]!
      if (distance[neighbour] !== unreached) continue
      distance[neighbour] = distance[entry]! + 1
      previous[neighbour] = entry
      queue[end++] = neighbour
    }
  }
  return { distance, previous, reached: queue.subarray(0, end) }
}

/** From an entry back to where the walk to it began, both included; undefined where it was not reached. */
export function wayBack({ distance, previous }: Walk, entry: number): number[] | undefined {
  if ((distance[entry] ?? unreached) === unreached) return undefined
  const way: number[] = []
  for (let at = entry; at !== unreached; at = previous[at]!) way.push(at)
  return way
}

async function readEdges(graph: Buffer, direction: Direction, breath: Breath): Promise<Edges> {
  const count = Math.floor(graph.length / 8)
  const pairs = new Uint32Array(count * 2)
  let entries = 0
  for (let at = 0; at < pairs.length; at++) {
    if (at % stride === 0) await breath()
    pairs[at] = graph.readUInt32LE(at * 4)
    entries = Math.max(entries, pairs[at]! + 1)
  }
  const [key, value] = direction === 'dependencies' ? [0, 1] : [1, 0]
  const starts = new Uint32Array(entries + 1)
  for (let at = 0; at < pairs.length; at += 2) {
    if (at % stride === 0) await breath()
    starts[pairs[at + key]! + 1]!++
  }
  for (let entry = 0; entry < entries; entry++) {
    if (entry % stride === 0) await breath()
    starts[entry + 1]! += starts[entry]!
  }
  const neighbours = new Uint32Array(count)
  const free = starts.slice()
  for (let at = 0; at < pairs.length; at += 2) {
    if (at % stride === 0) await breath()
    neighbours[free[pairs[at + key]!]!++] = pairs[at + value]!
  }
  return { starts, neighbours }
}
