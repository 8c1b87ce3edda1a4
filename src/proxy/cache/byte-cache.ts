/** Values in memory up to a number of bytes; what was not used for longest goes first. */
export function createByteCache<T>(maxBytes: number) {
  const entries = new Map<string, { value: T; bytes: number }>()
  let total = 0

  function get(key: string): T | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    entries.delete(key)
    entries.set(key, entry)
    return entry.value
  }

  function set(key: string, value: T, bytes: number): void {
    drop(key)
    // One value must not push out all others.
    if (bytes > maxBytes / 4) return
    entries.set(key, { value, bytes })
    total += bytes
    for (const oldest of entries.keys()) {
      if (total <= maxBytes) break
      drop(oldest)
    }
  }

  function drop(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return { get, set, drop, bytes: () => total }
}
