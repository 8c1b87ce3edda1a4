/** Everything that can be reached from `roots`, themselves included. Cycles do no harm; nothing recurses. */
export function reachable<T>(roots: Iterable<T>, next: (from: T) => Iterable<T>): Set<T> {
  const seen = new Set(roots)
  for (const from of seen) {
    for (const to of next(from)) seen.add(to) // a Set goes on to what is added while it is walked
  }
  return seen
}
