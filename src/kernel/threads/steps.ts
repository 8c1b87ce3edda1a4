/** Work on something large that can be left for a while wherever it yields: whoever does it decides for how long. */
export type Steps<T> = Generator<void, T>

/** The clock need not be looked at more often. */
const stride = 256
const sortedAtOnce = 1_000

/** In turns with others: `breath` is of `createYield`. Gives what is to be awaited, where it is not done at once. */
export function takeTurns<T>(
  steps: Steps<T>,
  breath: () => Promise<void> | undefined,
  then: (result: T) => void,
): Promise<void> | undefined {
  for (;;) {
    const step = steps.next()
    if (step.done) return void then(step.value)
    const turn = breath()
    if (turn) return turn.then(() => takeTurns(steps, breath, then))
  }
}

export function* each<T>(items: Iterable<T>, work: (item: T) => void): Steps<void> {
  let count = 0
  for (const item of items) {
    work(item)
    if (++count % stride === 0) yield
  }
}

export function* mapped<T, Result>(items: Iterable<T>, to: (item: T, at: number) => Result): Steps<Result[]> {
  const results: Result[] = []
  yield* each(items, (item) => results.push(to(item, results.length)))
  return results
}

export function* filtered<T>(items: Iterable<T>, isWanted: (item: T) => boolean): Steps<T[]> {
  const wanted: T[] = []
  yield* each(items, (item) => {
    if (isWanted(item)) wanted.push(item)
  })
  return wanted
}

export function* grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Steps<Map<string, T[]>> {
  const groups = new Map<string, T[]>()
  yield* each(items, (item) => {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  })
  return groups
}

/** Sorted runs, which are then merged two by two. What is equal keeps its order. */
export function* sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = []
  for (let from = 0; from < items.length; from += sortedAtOnce) {
    runs.push(items.slice(from, from + sortedAtOnce).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at]!, runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = []
  for (let [a, b] = [0, 0]; a < first.length || b < second.length; ) {
    const takesFirst = b >= second.length || (a < first.length && compare(first[a]!, second[b]!) <= 0)
    merged.push(takesFirst ? first[a++]! : second[b++]!)
    if (merged.length % stride === 0) yield
  }
  return merged
}
