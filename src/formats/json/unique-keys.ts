/** Makes keys for items whose natural one may occur twice: `a@1.0.0`, `a@1.0.0#2` ... */
export function createKeys(): (natural: string) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (natural) => {
    let count = counts.get(natural) ?? 0
    let key: string
    do {
      count++
      key = count === 1 ? natural : `${natural}#${count}`
    } while (taken.has(key))
    counts.set(natural, count)
    taken.add(key)
    return key
  }
}
