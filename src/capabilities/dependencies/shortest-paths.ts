/**
 * Who depends on whom, as it is stored: pairs of ordinals, four bytes each, little endian.
 * For each direct dependency that leads to a target the shortest way there, shortest first; each step once over the graph.
 */
export function shortestPaths(graph: Buffer, directs: readonly number[], targets: ReadonlySet<number>): number[][] {
  const dependents = dependentsOf(graph)
  // From the targets backwards: `next` is then the step from an entry towards its nearest target.
  const next = new Map<number, number | undefined>()
  for (const target of targets) next.set(target, undefined)
  const queue = [...targets]
  for (let at = 0; at < queue.length; at++) {
    for (const dependent of dependents.get(queue[at]!) ?? []) {
      if (next.has(dependent)) continue
      next.set(dependent, queue[at])
      queue.push(dependent)
    }
  }
  const paths = directs.filter((direct) => next.has(direct)).map((direct) => follow(direct, next))
  return paths.sort((a, b) => a.length - b.length || a[0]! - b[0]!)
}

function follow(start: number, next: ReadonlyMap<number, number | undefined>): number[] {
  const path: number[] = []
  for (let at: number | undefined = start; at !== undefined; at = next.get(at)) path.push(at)
  return path
}

function dependentsOf(graph: Buffer): Map<number, number[]> {
  const dependents = new Map<number, number[]>()
  for (let at = 0; at + 8 <= graph.length; at += 8) {
    const from = graph.readUInt32LE(at)
    const to = graph.readUInt32LE(at + 4)
    const known = dependents.get(to)
    if (known) known.push(from)
    else dependents.set(to, [from])
  }
  return dependents
}
