/**
 * One call for all who wait for its answer. Whoever comes while one is under way shares the next: the answer they get was found
 * after they came.
 */
export function shareCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  let next: Promise<T> | undefined

  function begin(): Promise<T> {
    next = undefined
    const begun = call().finally(() => {
      if (underWay === begun) underWay = undefined
    })
    underWay = begun
    return begun
  }

  return () => {
    if (!underWay) return begin()
    next ??= underWay.then(begin, begin)
    return next
  }
}
