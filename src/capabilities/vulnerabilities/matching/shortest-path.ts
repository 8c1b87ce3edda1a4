/**
 * Who depends on whom, as inventories hold it: pairs of ordinals, four bytes each, little endian. Answers the shortest way from
 * a direct dependency to any entry, both included; undefined where the file knows none.
 */
export function shortestPathsIn(graph: Buffer, directs: readonly number[]): (target: number) => number[] | undefined {
  const dependencies = new Map<number, number[]>()
  for (let at = 0; at + 8 <= graph.length; at += 8) {
    const from = graph.readUInt32LE(at)
    const known = dependencies.get(from)
    if (known) known.push(graph.readUInt32LE(at + 4))
    else dependencies.set(from, [graph.readUInt32LE(at + 4)])
  }
  // From all direct ones at once, so that the first to arrive has the shortest way.
  const before = new Map<number, number | undefined>(directs.map((direct) => [direct, undefined]))
  const queue = [...directs]
  for (let at = 0; at < queue.length; at++) {
    for (const next of dependencies.get(queue[at]!) ?? []) {
      if (before.has(next)) continue
      before.set(next, queue[at])
      queue.push(next)
    }
  }
  return (target) => {
    if (!before.has(target)) return undefined
    const way: number[] = []
    for (let at: number | undefined = target; at !== undefined; at = before.get(at)) way.unshift(at)
    return way
  }
}
