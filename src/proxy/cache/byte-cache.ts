/** Values in memory up to a number of bytes; what was not used for long goes first. */
export function createByteCache<T>(maxBytes: number) {
  const entries = new Map<string, { value: T; bytes: number; isUsed: boolean }>()
  let total = 0

  // Only marked: moving it to the end of the map at every use costs more than the rest of a lookup.
  function get(key: string): T | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    entry.isUsed = true
    return entry.value
  }

  function set(key: string, value: T, bytes: number): void {
    drop(key)
    // One value must not push out all others.
    if (bytes > maxBytes / 4) return
    entries.set(key, { value, bytes, isUsed: false })
    total += bytes
    // What was used since it was last looked at is passed over once: the loop comes to it again behind all others.
    for (const [oldest, entry] of entries) {
      if (total <= maxBytes) break
      drop(oldest)
      if (!entry.isUsed && oldest !== key) continue
      entries.set(oldest, { ...entry, isUsed: false })
      total += entry.bytes
    }
  }

  function drop(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return { get, set, drop, bytes: () => total }
}
