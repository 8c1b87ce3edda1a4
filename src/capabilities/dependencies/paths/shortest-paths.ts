import { createYield } from '../../../kernel/threads/event-loop-yield.ts'

/** How many entries or edges are looked at between two looks at the clock. */
const stride = 4_096
const unreached = -1

/**
 * Who depends on whom, as it is stored: pairs of ordinals, four bytes each, little endian.
 * For each direct dependency that leads to a target the shortest way there, shortest first; each step once over the graph. Not
 * more than `limit.paths`, nor with more than `limit.steps` in all: a file can be made so that every path goes through all of it.
 */
export async function shortestPaths(
  graph: Buffer,
  directs: readonly number[],
  targets: ReadonlySet<number>,
  limit: { paths: number; steps: number },
): Promise<{ paths: number[][]; hasMore: boolean }> {
  const breath = createYield()
  const edges = await readEdges(graph, breath)
  const { next, distance, reached } = await walkBack(edges, targets, breath)
  const isDirect = new Uint8Array(distance.length)
  for (const direct of directs) isDirect[direct] = 1
  // Nearest first, as they were reached; one more than wanted tells that there is more.
  const nearest: number[] = []
  for (let at = 0; at < reached.length && nearest.length <= limit.paths; at++) {
    if (at % stride === 0) await breath()
    if (isDirect[reached[at]!] === 1) nearest.push(reached[at]!)
  }
  nearest.sort((a, b) => distance[a]! - distance[b]! || a - b)
  const paths: number[][] = []
  let steps = 0
  for (const direct of nearest) {
    steps += distance[direct]! + 1
    if (paths.length === limit.paths || steps > limit.steps) return { paths, hasMore: true }
    paths.push(follow(direct, next))
  }
  return { paths, hasMore: false }
}

type Breath = ReturnType<typeof createYield>
/** Those who depend on entry `n` are `dependents` from `starts[n]` to `starts[n + 1]`. */
type Edges = { starts: Uint32Array; dependents: Uint32Array }

async function readEdges(graph: Buffer, breath: Breath): Promise<Edges> {
  const count = Math.floor(graph.length / 8)
  const pairs = new Uint32Array(count * 2)
  let entries = 0
  for (let at = 0; at < pairs.length; at++) {
    if (at % stride === 0) await breath()
    pairs[at] = graph.readUInt32LE(at * 4)
    entries = Math.max(entries, pairs[at]! + 1)
  }
  const starts = new Uint32Array(entries + 1)
  for (let at = 1; at < pairs.length; at += 2) {
    if (at % stride === 1) await breath()
    starts[pairs[at]! + 1]!++
  }
  for (let entry = 0; entry < entries; entry++) {
    if (entry % stride === 0) await breath()
    starts[entry + 1]! += starts[entry]!
  }
  const dependents = new Uint32Array(count)
  const free = starts.slice()
  for (let at = 0; at < pairs.length; at += 2) {
    if (at % stride === 0) await breath()
    dependents[free[pairs[at + 1]!]!++] = pairs[at]!
  }
  return { starts, dependents }
}

/** From the targets backwards: `next` is then the step from an entry towards its nearest target. */
async function walkBack({ starts, dependents }: Edges, targets: ReadonlySet<number>, breath: Breath) {
  let entries = starts.length
  for (const target of targets) entries = Math.max(entries, target + 1)
  const next = new Int32Array(entries).fill(unreached)
  const distance = new Int32Array(entries).fill(unreached)
  const queue = new Uint32Array(entries)
  let end = 0
  for (const target of targets) {
    distance[target] = 0
    queue[end++] = target
  }
  for (let at = 0; at < end; at++) {
    if (at % stride === 0) await breath()
    const entry = queue[at]!
    for (let edge = starts[entry] ?? 0; edge < (starts[entry + 1] ?? 0); edge++) {
      const dependent = dependents[edge]!
      if (distance[dependent] !== unreached) continue
      distance[dependent] = distance[entry]! + 1
      next[dependent] = entry
      queue[end++] = dependent
    }
  }
  return { next, distance, reached: queue.subarray(0, end) }
}

function follow(start: number, next: Int32Array): number[] {
  const path: number[] = []
  for (let at = start; at !== unreached; at = next[at]!) path.push(at)
  return path
}
